package prompt

// The questions of ROSE's cascade.
var (
	ROSEProver  = load("rose/prover", "rose_prover", 1, "rose_prover")
	ROSERefuter = load("rose/refuter", "rose_refuter", 2, "rose_refuter") // if the results differ
	// if the results are the same; they are not shown
	ROSERefuterSame = load("rose/refuter", "rose_refuter_same", 1, "rose_refuter")
)
