#!/usr/bin/env bash
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# Removes what setup.sh made, but for the dataset with scores and labels, the judge's secret, service accounts that the
# values name, the right of a model's connection to ask it, and services that are enabled.
# Before it: badger install --values VALUES --drop bigquery://…, because functions need the connection.
# It ignores what has been removed already.
set -uo pipefail
cd "$(dirname "$0")" || exit
. ./connection-role.sh

gcloud run services delete badger --project=acme-analytics --region=europe-west1 --quiet
bq rm --connection --force acme-analytics.EU.badger
gcloud iam roles delete badgerFunctionOwner --project=acme-analytics --quiet
gcloud iam service-accounts delete badger-server@acme-analytics.iam.gserviceaccount.com --project=acme-analytics --quiet
