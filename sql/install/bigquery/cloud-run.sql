{{$account := .CloudRun.Account}}{{$project := oneline .Values.Database}}{{$region := .Values.Deploy.CloudRun.Region}}{{if not $region}}{{$region = "REGION"}}{{end -}}
--- hand: The commands of the next steps are in the script setup.sh that badger deploy cloud-run writes from the same values, beside the service and the variables of a Terraform module.
badger deploy cloud-run --values VALUES --to DIR && DIR/setup.sh
--- hand: The account that badger serve runs as, and the connection by whose service account BigQuery calls it.
gcloud iam service-accounts create {{sh (name $account)}} --project={{sh $project}}
{{with .CloudRun.NightlyAccount}}gcloud iam service-accounts create {{sh (name .)}} --project={{sh $project}}
{{end -}}
bq mk --connection --location={{sh .Values.Location}} --project_id={{sh $project}} --connection_type=CLOUD_RESOURCE {{sh .Values.Connection}}
CALLER=$(bq show --format=json --connection {{sh .CloudRun.ConnectionName}} | jq -er .cloudResource.serviceAccountId)
--- hand: The owner creates functions over the connection: Google's own role for that may also delete connections, so this one is made for it.
gcloud iam roles create badgerFunctionOwner --project={{sh $project}} --permissions={{functionOwner}}
--- hand: What each account may do, and nothing else. bq has no command for roles on a connection: in the console, BigQuery, the connection, Share.
{{range .CloudRun.Bindings -}}
{{if ne .On "service"}}{{if eq .On "connection"}}{{.Role}} on the connection {{.Resource}} for {{.Member}}{{else}}{{$.CloudRun.Grant .}}{{end}}
{{end}}{{end -}}
--- hand: The service, with internal ingress and no callers without a token; and the right of the connection's account to call it.
gcloud run services replace service.yaml --project={{sh $project}} --region={{sh $region}}
{{range .CloudRun.Bindings}}{{if eq .On "service"}}{{$.CloudRun.Grant .}}{{end}}{{end}}
