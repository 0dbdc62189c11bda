package relation

// Forms are the forms of sentences.
var Forms = forms

// Slot exports slot to tests.
func (r *Reason) Slot(name string) Sentence { return r.slot(name) }
