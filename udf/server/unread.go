package server

import "google.golang.org/grpc"

// unread registers services so that their callers are known before a message is read: the gRPC
// library reads the request of a unary method before its interceptor runs, up to the whole limit of
// a message, also inflated, and from anybody. As a stream of one reply, which is the same on the
// wire, a method is intercepted first.
type unread struct{ *grpc.Server }

// RegisterService is grpc.ServiceRegistrar's.
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

// openStream is a call of anybody. Its request is not read: it could be as large as a message may
// be. Health checks need none, because all services of the server have one status.
type openStream struct{ grpc.ServerStream }

// RecvMsg leaves the message empty.
func (openStream) RecvMsg(any) error { return nil }
