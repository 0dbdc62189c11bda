#!/usr/bin/env bash
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# Sets badger serve up on Cloud Run for BigQuery. It may be run again. It needs gcloud, bq, curl and jq, and an account with
# roles/owner, or roles/run.admin, roles/iam.serviceAccountAdmin, roles/iam.roleAdmin, roles/resourcemanager.projectIamAdmin,
# roles/serviceusage.serviceUsageAdmin, roles/bigquery.admin, roles/secretmanager.admin and roles/iam.serviceAccountUser.
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
gcloud services enable --project=example.com:null-off \
  artifactregistry.googleapis.com \
  bigquery.googleapis.com \
  bigqueryconnection.googleapis.com \
  iam.googleapis.com \
  run.googleapis.com \
  secretmanager.googleapis.com

step "service accounts"
gcloud iam service-accounts describe no-server@null-off.example.com.iam.gserviceaccount.com --project=example.com:null-off >/dev/null 2>&1 ||
  gcloud iam service-accounts create no-server --project=example.com:null-off --display-name='badger serve'

step "the role of those who create functions"
gcloud iam roles undelete badgerFunctionOwner --project=example.com:null-off --quiet >/dev/null 2>&1 || true # one that remove.sh deleted
if gcloud iam roles describe badgerFunctionOwner --project=example.com:null-off >/dev/null 2>&1; then
  gcloud iam roles update badgerFunctionOwner --project=example.com:null-off --quiet --permissions=bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use
else
  gcloud iam roles create badgerFunctionOwner --project=example.com:null-off --quiet --title='badger: creates functions over a connection' --permissions=bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use
fi

step "the dataset and the connection"
bq show --dataset example.com:null-off:badger >/dev/null 2>&1 || bq mk --dataset --location=US example.com:null-off:badger
bq show --connection example.com:null-off.US.1e3 >/dev/null 2>&1 ||
  bq mk --connection --project_id=example.com:null-off --location=US --connection_type=CLOUD_RESOURCE 1e3
CALLER=$(account_of example.com:null-off.US.1e3)
echo "BigQuery calls as $CALLER"

step "the judge's key"
gcloud secrets describe true --project=example.com:null-off >/dev/null 2>&1 || {
  echo "The secret is missing. Create it, with the key on standard input:" >&2
  echo '  gcloud secrets create true --project=example.com:null-off --data-file=-' >&2
  exit 1
}

step "roles"
# The service runs queries: promoted judges, references, the ledger.
again gcloud projects add-iam-policy-binding acme-analytics --member=serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com --role=roles/bigquery.jobUser --condition=None
# The service reads large results.
again gcloud projects add-iam-policy-binding acme-analytics --member=serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com --role=roles/bigquery.readSessionUser --condition=None
# The service keeps the judge's replies, and reads promoted judges.
again bq query --project_id=example.com:null-off --location=US --use_legacy_sql=false 'GRANT `roles/bigquery.dataEditor` ON SCHEMA `acme-analytics`.badger TO '\''serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com'\'''
# The service reads the judge's key.
again gcloud secrets add-iam-policy-binding true --project=example.com:null-off --member=serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com --role=roles/secretmanager.secretAccessor
# The owner creates functions over the connection.
again connection_role add example.com:null-off.US.1e3 'user:o'\''brien+$(id)@example.com' projects/example.com:null-off/roles/badgerFunctionOwner
# Callers call functions over the connection.
again connection_role add example.com:null-off.US.1e3 'principalSet://iam.googleapis.com/locations/global/workforcePools/p/group/a;b#c' roles/bigquery.connectionUser

step "the service"
[ "$only" = --roles ] || gcloud run services replace service.yaml --project=example.com:null-off --region=us-central1
# BigQuery calls the service.
again gcloud run services add-iam-policy-binding no --project=example.com:null-off --region=us-central1 --member="serviceAccount:$CALLER" --role=roles/run.invoker
# Whom deploy.report names opens the report.
again gcloud run services add-iam-policy-binding no --project=example.com:null-off --region=us-central1 --member=user:null+off@example.com --role=roles/run.invoker

# The server takes tokens for this address only, and functions name it.
urls=$(gcloud run services describe no --project=example.com:null-off --region=us-central1 --format=json | jq -r '[.status.url, (.metadata.annotations["run.googleapis.com/urls"] // "[]" | fromjson | .[])] | unique | .[]')
if ! grep -qxF https://scoring.example.com <<<"$urls"; then
  printf 'The service is not at %s, but at\n' https://scoring.example.com >&2
  echo "$urls" >&2
  echo "Set endpoint in the values to one of them, write these files again, and run this again." >&2
  exit 1
fi

step "next"
printf 'badger install --values VALUES --apply %s\n' 'bigquery://example.com:null-off/badger?location=US'
