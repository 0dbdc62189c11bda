# shellcheck shell=bash
# connection_role add|remove PROJECT.LOCATION.CONNECTION MEMBER ROLE changes who has a role on a connection of BigQuery, for which
# bq has no command. A policy that cannot be read is not written.
connection_role() {
  local parent=${2%.*} url policy change
  url="https://bigqueryconnection.googleapis.com/v1/projects/${parent%.*}/locations/${parent##*.}/connections/${2##*.}"
  case $1 in
    add) change='.bindings = ((.bindings // []) + [{role: $r, members: [$m]}])' ;;
    remove) change='.bindings = [(.bindings // [])[] | if .role == $r then .members -= [$m] else . end | select(.members != [])]' ;;
    *) return 2 ;;
  esac
  policy=$(connection_api "$url:getIamPolicy" '{}') || return 1
  policy=$(jq -ce --arg m "$3" --arg r "$4" "{policy: ($change)}" <<<"$policy") || return 1
  connection_api "$url:setIamPolicy" "$policy"
}

# The token goes in by standard input, so that the list of processes does not show it.
connection_api() {
  local token
  token=$(gcloud auth print-access-token) || return 1
  curl -sS --fail-with-body -X POST -H @- -H 'Content-Type: application/json' --data "$2" "$1" <<<"Authorization: Bearer $token"
}
