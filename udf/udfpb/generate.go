// Package udfpb is the generated code of badger.proto, the unary gRPC interface of package udf.
package udfpb

//go:generate protoc -I ../.. --go_out=../.. --go_opt=paths=source_relative --go-grpc_out=../.. --go-grpc_opt=paths=source_relative udf/udfpb/badger.proto
