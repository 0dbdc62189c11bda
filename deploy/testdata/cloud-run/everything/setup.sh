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
  aiplatform.googleapis.com \
  artifactregistry.googleapis.com \
  bigquery.googleapis.com \
  bigqueryconnection.googleapis.com \
  bigquerydatatransfer.googleapis.com \
  iam.googleapis.com \
  run.googleapis.com

step "service accounts"
gcloud iam service-accounts describe scorer@acme-analytics.iam.gserviceaccount.com --project=acme-analytics >/dev/null 2>&1 ||
  gcloud iam service-accounts create scorer --project=acme-analytics --display-name='badger serve'
gcloud iam service-accounts describe night@acme-analytics.iam.gserviceaccount.com --project=acme-analytics >/dev/null 2>&1 ||
  gcloud iam service-accounts create night --project=acme-analytics --display-name='badger: evaluation by night'

step "the role of those who create functions"
gcloud iam roles undelete badgerFunctionOwner --project=acme-analytics --quiet >/dev/null 2>&1 || true # one that remove.sh deleted
if gcloud iam roles describe badgerFunctionOwner --project=acme-analytics >/dev/null 2>&1; then
  gcloud iam roles update badgerFunctionOwner --project=acme-analytics --quiet --permissions=bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use
else
  gcloud iam roles create badgerFunctionOwner --project=acme-analytics --quiet --title='badger: creates functions over a connection' --permissions=bigquery.connections.delegate,bigquery.connections.get,bigquery.connections.use
fi

step "the dataset and the connection"
bq show --dataset acme-analytics:badger >/dev/null 2>&1 || bq mk --dataset --location=europe-west1 acme-analytics:badger
bq show --connection acme-analytics.europe-west1.badger-scoring >/dev/null 2>&1 ||
  bq mk --connection --project_id=acme-analytics --location=europe-west1 --connection_type=CLOUD_RESOURCE badger-scoring
CALLER=$(account_of acme-analytics.europe-west1.badger-scoring)
echo "BigQuery calls as $CALLER"
MODEL_CALLER=$(account_of acme-analytics.europe-west1.models)

step "roles"
# The service runs queries: promoted judges, references, the ledger.
again gcloud projects add-iam-policy-binding acme-billing --member=serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com --role=roles/bigquery.jobUser --condition=None
# The service reads large results.
again gcloud projects add-iam-policy-binding acme-billing --member=serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com --role=roles/bigquery.readSessionUser --condition=None
# The connection asks the model.
again gcloud projects add-iam-policy-binding acme-analytics --member="serviceAccount:$MODEL_CALLER" --role=roles/aiplatform.user --condition=None
# The scheduled query runs.
again gcloud projects add-iam-policy-binding acme-analytics --member=serviceAccount:night@acme-analytics.iam.gserviceaccount.com --role=roles/bigquery.jobUser --condition=None
# The service keeps the judge's replies, and reads promoted judges.
again bq query --project_id=acme-analytics --location=europe-west1 --use_legacy_sql=false 'GRANT `roles/bigquery.dataEditor` ON SCHEMA `acme-analytics`.badger TO '\''serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com'\'''
# The service reads results that references name.
again bq query --project_id=acme-analytics --location=europe-west1 --use_legacy_sql=false 'GRANT `roles/bigquery.dataViewer` ON SCHEMA `acme-analytics`.answers TO '\''serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com'\'''
# The scheduled query calls the procedure and writes scores.
again bq query --project_id=acme-analytics --location=europe-west1 --use_legacy_sql=false 'GRANT `roles/bigquery.dataEditor` ON SCHEMA `acme-analytics`.badger TO '\''serviceAccount:night@acme-analytics.iam.gserviceaccount.com'\'''
# The owner creates functions over the connection.
again connection_role add acme-analytics.europe-west1.badger-scoring group:badger-owners@example.com projects/acme-analytics/roles/badgerFunctionOwner
# Callers call functions over the connection.
again connection_role add acme-analytics.europe-west1.badger-scoring group:analysts@example.com roles/bigquery.connectionUser
# The service asks the model over this connection.
again connection_role add acme-analytics.europe-west1.models serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com roles/bigquery.connectionUser
# The scheduled query calls functions.
again connection_role add acme-analytics.europe-west1.badger-scoring serviceAccount:night@acme-analytics.iam.gserviceaccount.com roles/bigquery.connectionUser

step "the service"
[ "$only" = --roles ] || gcloud run services replace service.yaml --project=acme-analytics --region=europe-west1
# BigQuery calls the service.
again gcloud run services add-iam-policy-binding scoring --project=acme-analytics --region=europe-west1 --member="serviceAccount:$CALLER" --role=roles/run.invoker
# Whom deploy.report names opens the report.
again gcloud run services add-iam-policy-binding scoring --project=acme-analytics --region=europe-west1 --member=user:ana@example.com --role=roles/run.invoker
# Whom deploy.report names opens the report.
again gcloud run services add-iam-policy-binding scoring --project=acme-analytics --region=europe-west1 --member=user:ben@example.com --role=roles/run.invoker
# Whom deploy.report names opens the report.
again gcloud run services add-iam-policy-binding scoring --project=acme-analytics --region=europe-west1 --member=user:eva@example.com --role=roles/run.invoker
# Whom deploy.report names opens the report.
again gcloud run services add-iam-policy-binding scoring --project=acme-analytics --region=europe-west1 --member=serviceAccount:viewer@acme-analytics.iam.gserviceaccount.com --role=roles/run.invoker

# The server takes tokens for this address only, and functions name it.
urls=$(gcloud run services describe scoring --project=acme-analytics --region=europe-west1 --format=json | jq -r '[.status.url, (.metadata.annotations["run.googleapis.com/urls"] // "[]" | fromjson | .[])] | unique | .[]')
if ! grep -qxF https://scoring-123456789012.europe-west1.run.app <<<"$urls"; then
  printf 'The service is not at %s, but at\n' https://scoring-123456789012.europe-west1.run.app >&2
  echo "$urls" >&2
  echo "Set endpoint in the values to one of them, write these files again, and run this again." >&2
  exit 1
fi

step "next"
printf 'badger install --values VALUES --apply %s\n' 'bigquery://acme-analytics/badger?location=europe-west1'
