#!/usr/bin/env bash
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# Sets badger serve up on Cloud Run for BigQuery. It may be run again. It needs gcloud, bq, curl and jq, and an account with
# roles/owner, or roles/run.admin, roles/iam.serviceAccountAdmin, roles/iam.roleAdmin, roles/resourcemanager.projectIamAdmin,
# roles/serviceusage.serviceUsageAdmin, roles/bigquery.admin and roles/iam.serviceAccountUser.
# With --roles it leaves the service as it is: for a service that Terraform makes, after terraform apply.
set -euo pipefail
cd "$(dirname "$0")"

only=${1:-}
case $only in '' | --roles) ;; *) echo "unknown argument $only, expected --roles or nothing" >&2 && exit 2 ;; esac

step() { printf '\n== %s\n' "$1"; }

# A new service account is known everywhere only after a while.
again() {
  local n
  for n in 1 2 3 4 5; do
    "$@" >/dev/null && return
    [ "$n" = 5 ] || sleep "${BADGER_SETUP_WAIT:-10}"
  done
  return 1
}

. ./connection-role.sh
account_of() { bq show --format=json --connection "$1" | jq -er .cloudResource.serviceAccountId; }

step "services of Google Cloud"
gcloud services enable --project=acme-analytics \
  artifactregistry.googleapis.com \
  bigquery.googleapis.com \
  bigqueryconnection.googleapis.com \
  iam.googleapis.com \
  run.googleapis.com

step "service accounts"
gcloud iam service-accounts describe badger-server@acme-analytics.iam.gserviceaccount.com --project=acme-analytics >/dev/null 2>&1 ||
  gcloud iam service-accounts create badger-server --project=acme-analytics --display-name='badger serve'

step "the role of those who create functions"
gcloud iam roles undelete badgerFunctionOwner --project=acme-analytics --quiet >/dev/null 2>&1 || true # one that remove.sh deleted
if gcloud iam roles describe badgerFunctionOwner --project=acme-analytics >/dev/null 2>&1; then
  gcloud iam roles update badgerFunctionOwner --project=acme-analytics --quiet --permissions=bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use
else
  gcloud iam roles create badgerFunctionOwner --project=acme-analytics --quiet --title='badger: creates functions over a connection' --permissions=bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use
fi

step "the dataset and the connection"
bq show --dataset acme-analytics:badger >/dev/null 2>&1 || bq mk --dataset --location=EU acme-analytics:badger
bq show --connection acme-analytics.EU.badger >/dev/null 2>&1 ||
  bq mk --connection --project_id=acme-analytics --location=EU --connection_type=CLOUD_RESOURCE badger
CALLER=$(account_of acme-analytics.EU.badger)
echo "BigQuery calls as $CALLER"

step "roles"
# The owner creates functions over the connection.
again connection_role add acme-analytics.EU.badger group:badger-owners@example.com projects/acme-analytics/roles/badgerFunctionOwner
# Callers call functions over the connection.
again connection_role add acme-analytics.EU.badger group:analysts@example.com roles/bigquery.connectionUser

step "the service"
[ "$only" = --roles ] || gcloud run services replace service.yaml --project=acme-analytics --region=europe-west1
# BigQuery calls the service.
again gcloud run services add-iam-policy-binding badger --project=acme-analytics --region=europe-west1 --member="serviceAccount:$CALLER" --role=roles/run.invoker

# The server takes tokens for this address only, and functions name it.
urls=$(gcloud run services describe badger --project=acme-analytics --region=europe-west1 --format=json | jq -r '[.status.url, (.metadata.annotations["run.googleapis.com/urls"] // "[]" | fromjson | .[])] | unique | .[]')
if ! grep -qxF https://badger-123456789012.europe-west1.run.app <<<"$urls"; then
  printf 'The service is not at %s, but at\n' https://badger-123456789012.europe-west1.run.app >&2
  echo "$urls" >&2
  echo "Set endpoint in the values to one of them, write these files again, and run this again." >&2
  exit 1
fi

step "next"
printf 'badger install --values VALUES --apply %s\n' 'bigquery://acme-analytics/badger?location=EU'
