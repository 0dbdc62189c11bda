-- Reproducible numbers from plain 64-bit arithmetic. DuckDB's hash() would be shorter but may change with its version,
-- and random() differs between threads; these macros give the same rows for as long as the arithmetic does.

-- rnd(i, salt): a whole number in [0, 2^32), from the 32-bit integer hash "lowbias32" (C. Wellons, public domain).
-- i numbers the row, salt names the property that is drawn.
CREATE TEMP MACRO rnd_seed(i, salt) AS ((i::UBIGINT * 2654435761::UBIGINT + salt::UBIGINT * 40503977::UBIGINT) & 4294967295::UBIGINT);
CREATE TEMP MACRO rnd_mix(x, shift, factor) AS ((xor(x, x >> shift::UBIGINT) * factor::UBIGINT) & 4294967295::UBIGINT);
CREATE TEMP MACRO rnd_last(x) AS xor(x, x >> 16::UBIGINT)::BIGINT;
CREATE TEMP MACRO rnd(i, salt) AS rnd_last(rnd_mix(rnd_mix(rnd_seed(i, salt), 16, 2146121005), 15, 2221713035));

-- below(i, salt, n): a whole number in [0, n).
CREATE TEMP MACRO below(i, salt, n) AS (rnd(i, salt) % (n));

-- chance(i, salt, percent): true for about that percentage of rows.
CREATE TEMP MACRO chance(i, salt, percent) AS (rnd(i, salt) % 1000 < (percent) * 10);

-- pick(values, i, salt): one element of a list; repeat an element to make it likelier.
CREATE TEMP MACRO pick(elements, i, salt) AS elements[1 + rnd(i, salt) % len(elements)];

-- cents(n): n hundredths as an exact amount.
CREATE TEMP MACRO cents(n) AS (n * 0.01)::DECIMAL(18, 2);
