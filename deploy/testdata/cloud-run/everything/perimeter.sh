#!/usr/bin/env bash
# Made by badger v1.2.3 from the values; regenerate it instead of editing it.
# A service perimeter of VPC Service Controls around the project: no data leave it through Google's services, and calls from
# outside are refused but for those of the access level. It needs roles/accesscontextmanager.policyAdmin.
# "perimeter.sh dry-run" refuses nothing yet: the audit log shows what would be refused.
set -euo pipefail
policy=987654321
name=analytics
project=projects/123456789012
services=aiplatform.googleapis.com,artifactregistry.googleapis.com,bigquery.googleapis.com,bigqueryconnection.googleapis.com,bigquerydatatransfer.googleapis.com,bigquerystorage.googleapis.com,logging.googleapis.com,run.googleapis.com
level=accessPolicies/$policy/accessLevels/office

if [ "${1:-}" = dry-run ]; then
  gcloud access-context-manager perimeters dry-run create "$name" --policy="$policy" --perimeter-title="$name" --perimeter-type=regular \
    --perimeter-resources="$project" --perimeter-restricted-services="$services" --perimeter-access-levels="$level"
elif gcloud access-context-manager perimeters describe "$name" --policy="$policy" >/dev/null 2>&1; then
  gcloud access-context-manager perimeters update "$name" --policy="$policy" \
    --add-resources="$project" --add-restricted-services="$services" --add-access-levels="$level"
else
  gcloud access-context-manager perimeters create "$name" --policy="$policy" --title="$name" --perimeter-type=regular \
    --resources="$project" --restricted-services="$services" --access-levels="$level"
fi
