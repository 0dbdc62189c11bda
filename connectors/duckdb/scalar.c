#include <stdint.h>
#include <stdlib.h>

// A statement's bind data is the id of its connection. The engine copies it when it copies a plan.
void *badger_copy_id(void *id) {
	uint64_t *copy = malloc(sizeof *copy);
	if (copy != NULL) {
		*copy = *(uint64_t *)id;
	}
	return copy;
}
