#!/usr/bin/env bash
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# Removes what setup.sh made, but for the dataset with scores and labels, the judge's secret, service accounts that the
# values name, the right of a model's connection to ask it, and services that are enabled.
# Before it: badger install --values VALUES --drop bigquery://…, because functions need the connection.
# It ignores what has been removed already.
set -uo pipefail
cd "$(dirname "$0")" || exit
. ./connection-role.sh

gcloud run services delete no --project=example.com:null-off --region=us-central1 --quiet
gcloud secrets remove-iam-policy-binding true --project=example.com:null-off --member=serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com --role=roles/secretmanager.secretAccessor
gcloud projects remove-iam-policy-binding acme-analytics --member=serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com --role=roles/bigquery.jobUser --condition=None
gcloud projects remove-iam-policy-binding acme-analytics --member=serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com --role=roles/bigquery.readSessionUser --condition=None
bq query --project_id=example.com:null-off --location=US --use_legacy_sql=false 'REVOKE `roles/bigquery.dataEditor` ON SCHEMA `acme-analytics`.badger FROM '\''serviceAccount:no-server@null-off.example.com.iam.gserviceaccount.com'\'''
bq rm --connection --force example.com:null-off.US.1e3
gcloud iam roles delete badgerFunctionOwner --project=example.com:null-off --quiet
gcloud iam service-accounts delete no-server@null-off.example.com.iam.gserviceaccount.com --project=example.com:null-off --quiet
