package judgebackend

import (
	"context"
	"sync"
)

// MemoryStore is a Store in memory. The zero value is empty.
type MemoryStore struct {
	mu sync.RWMutex
	m  map[string]Assessment
}

// Get implements Store.
func (s *MemoryStore) Get(_ context.Context, requestHash string) (Assessment, bool, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	a, ok := s.m[requestHash]
	return a, ok, nil
}

// Put implements Store.
func (s *MemoryStore) Put(_ context.Context, a Assessment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[string]Assessment{}
	}
	s.m[a.RequestHash] = a
	return nil
}

// Len returns the number of requests with a reply.
func (s *MemoryStore) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.m)
}
