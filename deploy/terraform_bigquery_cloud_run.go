package deploy

import (
	"embed"
)

//go:embed all:terraform-bigquery-cloud-run all:terraform/bigquery-cloud-run
var cloudRunModule embed.FS

var _ = register(Target{
	Name: "terraform-bigquery-cloud-run", Warehouse: "bigquery", Via: "cloud-run", Beside: "terraform/bigquery-cloud-run",
	Doc:      "A Terraform or OpenTofu module of the Cloud Run service, its account, the connection and its right to call, and a root that calls it. badger deploy cloud-run writes the script of the other roles.",
	Required: []string{"deploy.image", "database", "location"},
	Needs:    cloudRunNeeds,
	Prepare:  prepareCloudRun,
	files:    cloudRunModule, place: 50,
})
