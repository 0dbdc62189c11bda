package deploy

import (
	"embed"
)

//go:embed all:terraform-aws-external-function all:terraform/aws-external-function
var gatewayModule embed.FS

var _ = register(Target{
	Name: "terraform-aws-external-function", Warehouse: "snowflake", Via: "api-gateway",
	Beside:   "terraform/aws-external-function",
	Doc:      "A Terraform or OpenTofu module of the API gateway that Snowflake's external functions call, and a root that calls it. badger serve runs elsewhere.",
	Required: []string{"database"},
	files:    gatewayModule, place: 70,
})
