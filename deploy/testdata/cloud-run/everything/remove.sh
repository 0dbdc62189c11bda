#!/usr/bin/env bash
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# Removes what setup.sh made, but for the dataset with scores and labels, the judge's secret, service accounts that the
# values name, the right of a model's connection to ask it, and services that are enabled.
# Before it: badger install --values VALUES --drop bigquery://…, because functions need the connection.
# It ignores what has been removed already.
set -uo pipefail
cd "$(dirname "$0")" || exit
. ./connection-role.sh

gcloud run services delete scoring --project=acme-analytics --region=europe-west1 --quiet
gcloud projects remove-iam-policy-binding acme-billing --member=serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com --role=roles/bigquery.jobUser --condition=None
gcloud projects remove-iam-policy-binding acme-billing --member=serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com --role=roles/bigquery.readSessionUser --condition=None
bq query --project_id=acme-analytics --location=europe-west1 --use_legacy_sql=false 'REVOKE `roles/bigquery.dataEditor` ON SCHEMA `acme-analytics`.badger FROM '\''serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com'\'''
bq query --project_id=acme-analytics --location=europe-west1 --use_legacy_sql=false 'REVOKE `roles/bigquery.dataViewer` ON SCHEMA `acme-analytics`.answers FROM '\''serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com'\'''
connection_role remove acme-analytics.europe-west1.models serviceAccount:scorer@acme-analytics.iam.gserviceaccount.com roles/bigquery.connectionUser
gcloud projects remove-iam-policy-binding acme-analytics --member=serviceAccount:night@acme-analytics.iam.gserviceaccount.com --role=roles/bigquery.jobUser --condition=None
bq query --project_id=acme-analytics --location=europe-west1 --use_legacy_sql=false 'REVOKE `roles/bigquery.dataEditor` ON SCHEMA `acme-analytics`.badger FROM '\''serviceAccount:night@acme-analytics.iam.gserviceaccount.com'\'''
bq rm --connection --force acme-analytics.europe-west1.badger-scoring
gcloud iam roles delete badgerFunctionOwner --project=acme-analytics --quiet
