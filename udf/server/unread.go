package server

import "google.golang.org/grpc"

// unread registers services so that their callers are authenticated before a message is read: the gRPC library reads
// the request of a unary method, up to the maximum size, before its interceptor runs. Registered as a stream, which
// is the same on the wire, a method is intercepted first.
type unread struct{ *grpc.Server }

// RegisterService implements grpc.ServiceRegistrar.
func (u unread) RegisterService(d *grpc.ServiceDesc, impl any) {
	as := *d
	as.Methods, as.Streams = nil, append([]grpc.StreamDesc(nil), d.Streams...)
	for _, m := range d.Methods {
		as.Streams = append(as.Streams,
			grpc.StreamDesc{StreamName: m.MethodName, ServerStreams: true,
				Handler: func(srv any, stream grpc.ServerStream) error {
					resp, err := m.Handler(srv, stream.Context(), stream.RecvMsg, nil)
					if err != nil {
						return err
					}
					return stream.SendMsg(resp)
				}})
	}
	u.Server.RegisterService(&as, impl)
}

// openStream is a call without authentication. Its request is not read, because it could be as large as any message.
// Health checks need no request, because all services of the server have one status.
type openStream struct{ grpc.ServerStream }

// RecvMsg leaves the message empty and returns nil.
func (openStream) RecvMsg(any) error { return nil }
