package batch

import "syscall"

// Kill closes the file as the end of a process does.
func (s *ScoreFile) Kill() { _ = s.f.Close() }

// FillDisk lets the file take only so many more bytes.
func (s *ScoreFile) FillDisk(room int) {
	if f, ok := s.f.(*fullDisk); ok {
		f.room = room
		return
	}
	s.f = &fullDisk{s.f, room}
}

type fullDisk struct {
	storage
	room int
}

func (f *fullDisk) Write(b []byte) (int, error) {
	n, err := f.storage.Write(b[:min(len(b), f.room)])
	f.room -= n
	if err == nil && n < len(b) {
		err = syscall.ENOSPC
	}
	return n, err
}
