INSERT INTO bank.branches VALUES
    ( 1, 'Frankfurt Main',    'Frankfurt', 'Germany',        '1998-04-01'), ( 2, 'Frankfurt West',  'Frankfurt', 'Germany',        '2006-09-15'),
    ( 3, 'Berlin Tiergarten', 'Berlin',    'Germany',        '2001-05-02'), ( 4, 'Munich Schwabing','Munich',    'Germany',        '2004-10-11'),
    ( 5, 'Paris Opéra',       'Paris',     'France',         '1999-02-22'), ( 6, 'Lyon Part-Dieu',  'Lyon',      'France',         '2007-06-18'),
    ( 7, 'Zurich Paradeplatz','Zurich',    'Switzerland',    '2000-01-17'), ( 8, 'Geneva Lac',      'Geneva',    'Switzerland',    '2010-03-08'),
    ( 9, 'London City',       'London',    'United Kingdom', '1997-11-03'), (10, 'London Canary',   'London',    'United Kingdom', '2008-08-25'),
    (11, 'Edinburgh George',  'Edinburgh', 'United Kingdom', '2012-05-14'), (12, 'Warsaw Centrum',  'Warsaw',    'Poland',         '2005-07-04'),
    (13, 'Kraków Rynek',      'Kraków',    'Poland',         '2013-09-30'), (14, 'Stockholm Norrmalm','Stockholm','Sweden',        '2003-12-01'),
    (15, 'Malmö Hamn',        'Malmö',     'Sweden',         '2015-02-09'), (16, 'Amsterdam Herengracht','Amsterdam','Netherlands','2002-03-25'),
    (17, 'Madrid Salamanca',  'Madrid',    'Spain',          '2009-10-19'), (18, 'Milan Brera',     'Milan',     'Italy',          '2024-11-18');

-- 1,800 customers; one in fourteen is a business.
INSERT INTO bank.customers
WITH drawn AS (
    SELECT i,
        pick(['retail', 'retail', 'retail', 'retail', 'retail', 'retail', 'retail', 'retail', 'premium', 'premium', 'premium', 'private', 'business', 'business'], i, 301) AS segment,
        pick(['Julia', 'Max', 'Sophie', 'Paul', 'Camille', 'Louis', 'Zofia', 'Jakub', 'Agnieszka', 'Piotr', 'Astrid', 'Erik', 'Linnea', 'Gustav',
              'Charlotte', 'James', 'Fiona', 'George', 'Nora', 'Daniel', 'Eva', 'Luis', 'Carmen', 'Giulia', 'Marco', 'Lea', 'Tim', 'Nina', 'Felix', 'Ada'], i, 302) AS first_name,
        pick(['Bauer', 'Hoffmann', 'Dubois', 'Lefèvre', 'Moreau', 'Kowalski', 'Nowak', 'Wiśniewska', 'Lindqvist', 'Johansson', 'Berg', 'Taylor',
              'Campbell', 'Evans', 'Brunner', 'Keller', 'Meier', 'Van Dijk', 'Jansen', 'Romero', 'Torres', 'Rossi', 'Bianchi', 'Schneider', 'Wagner', 'Clarke'], i, 303) AS last_name,
        pick(['Logistics', 'Textiles', 'Consulting', 'Foods', 'Energy', 'Robotics', 'Pharma', 'Media'], i, 304) AS trade,
        pick([{'city': 'Frankfurt', 'country': 'Germany'}, {'city': 'Frankfurt', 'country': 'Germany'}, {'city': 'Berlin', 'country': 'Germany'},
              {'city': 'Munich', 'country': 'Germany'}, {'city': 'Paris', 'country': 'France'}, {'city': 'Paris', 'country': 'France'},
              {'city': 'Lyon', 'country': 'France'}, {'city': 'Zurich', 'country': 'Switzerland'}, {'city': 'Geneva', 'country': 'Switzerland'},
              {'city': 'London', 'country': 'United Kingdom'}, {'city': 'London', 'country': 'United Kingdom'}, {'city': 'Edinburgh', 'country': 'United Kingdom'},
              {'city': 'Warsaw', 'country': 'Poland'}, {'city': 'Warsaw', 'country': 'Poland'}, {'city': 'Kraków', 'country': 'Poland'},
              {'city': 'Stockholm', 'country': 'Sweden'}, {'city': 'Malmö', 'country': 'Sweden'}, {'city': 'Amsterdam', 'country': 'Netherlands'},
              {'city': 'Madrid', 'country': 'Spain'}, {'city': 'Milan', 'country': 'Italy'}], i, 305) AS home
    FROM range(1, 1801) t(i)
)
SELECT i,
    CASE WHEN segment = 'business' THEN last_name || ' ' || trade || pick([' GmbH', ' SA', ' Ltd', ' AB'], i, 306) ELSE first_name || ' ' || last_name END,
    CASE WHEN segment <> 'business' THEN DATE '1940-01-01' + below(i, 307, 21900)::INTEGER END,
    segment, home.country, home.city,
    CASE WHEN NOT chance(i, 308, 10) THEN 'client' || lpad(i::VARCHAR, 5, '0') || '@example.org' END,
    DATE '2012-01-01' + below(i, 309, 4700)::INTEGER,
    pick(['verified', 'verified', 'verified', 'verified', 'verified', 'verified', 'verified', 'verified', 'expired', 'pending'], i, 310),
    CASE WHEN segment <> 'retail' THEN pick(['H. Vogel', 'M. Laurent', 'R. Singh', 'K. Zieliński', 'E. Holm', NULL], i, 311) END
FROM drawn ORDER BY i;

-- 2,600 accounts of the customers 1 to 1,650; the others have none yet. Balances follow below.
INSERT INTO bank.accounts
WITH drawn AS (
    SELECT i, CASE WHEN i <= 1500 THEN 1 + (i * 7) % 1650 ELSE 1 + below(i, 321, 1650) END AS customer_id,
        pick(['current', 'current', 'current', 'savings', 'savings', 'fixed_deposit'], i, 322) AS account_type
    FROM range(1, 2601) t(i)
), owned AS (
    SELECT d.*, c.country, greatest(c.onboarded_on, DATE '2012-01-01' + below(i, 323, 4700)::INTEGER) AS opened_on
    FROM drawn d JOIN bank.customers c USING (customer_id)
)
SELECT 30000000 + i * 13, customer_id,
    CASE WHEN chance(i, 324, 20) THEN NULL ELSE
        CASE country WHEN 'Germany' THEN 1 + below(i, 325, 4) WHEN 'France' THEN 5 + below(i, 325, 2) WHEN 'Switzerland' THEN 7 + below(i, 325, 2)
            WHEN 'United Kingdom' THEN 9 + below(i, 325, 3) WHEN 'Poland' THEN 12 + below(i, 325, 2) WHEN 'Sweden' THEN 14 + below(i, 325, 2)
            WHEN 'Netherlands' THEN 16 WHEN 'Spain' THEN 17 ELSE 7 END END,
    account_type,
    CASE WHEN chance(i, 326, 8) THEN 'USD' ELSE
        CASE country WHEN 'Switzerland' THEN 'CHF' WHEN 'United Kingdom' THEN 'GBP' WHEN 'Poland' THEN 'PLN' WHEN 'Sweden' THEN 'SEK' ELSE 'EUR' END END,
    opened_on,
    CASE WHEN chance(i, 327, 5) THEN least(opened_on + (200 + below(i, 328, 900))::INTEGER, DATE '2024-12-30') END,
    CASE WHEN chance(i, 327, 5) THEN 'closed' WHEN chance(i, 329, 7) THEN 'dormant' ELSE 'active' END,
    0,
    CASE WHEN account_type = 'current' AND NOT chance(i, 330, 30) THEN cents(50000 * (1 + below(i, 331, 10))) END
FROM owned ORDER BY i;

-- 30,000 transactions on active current accounts and some savings accounts. Amounts in SEK and PLN are larger.
INSERT INTO bank.transactions
WITH payers AS (
    SELECT row_number() OVER (ORDER BY account_id) - 1 AS n, account_id, account_type, currency, opened_on
    FROM bank.accounts WHERE status = 'active' AND (account_type = 'current' OR account_type = 'savings' AND chance(account_id, 340, 35))
), drawn AS (
    SELECT i, p.account_id, p.currency,
        greatest(p.opened_on, DATE '2023-01-01') AS first_on,
        CASE WHEN p.account_type = 'savings' THEN pick(['transfer_in', 'transfer_in', 'transfer_out', 'interest'], i, 341) ELSE
            pick(['salary', 'salary', 'rent', 'groceries', 'groceries', 'groceries', 'groceries', 'dining', 'dining', 'dining', 'transport', 'transport',
                  'utilities', 'travel', 'transfer_in', 'transfer_out', 'cash_withdrawal', 'cash_withdrawal', 'fee', 'insurance'], i, 341) END AS category
    FROM (
        -- Low numbers see more transactions than others, the last three in a hundred none.
        SELECT i, least(below(i, 342, c.payers * 97 // 100), below(i, 343, c.payers)) AS n
        FROM range(1, 30001) t(i), (SELECT count(*) AS payers FROM payers) c
    ) JOIN payers p USING (n)
), valued AS (
    SELECT *,
        CASE category
            WHEN 'salary' THEN 180000 + below(i, 344, 520000) WHEN 'rent' THEN -(60000 + below(i, 344, 170000))
            WHEN 'groceries' THEN -(450 + below(i, 344, 17500)) WHEN 'dining' THEN -(800 + below(i, 344, 11000))
            WHEN 'transport' THEN -(250 + below(i, 344, 9000)) WHEN 'utilities' THEN -(3500 + below(i, 344, 21000))
            WHEN 'travel' THEN -(9000 + below(i, 344, 190000)) WHEN 'transfer_in' THEN 1000 + below(i, 344, 300000)
            WHEN 'transfer_out' THEN -(1000 + below(i, 344, 250000)) WHEN 'cash_withdrawal' THEN -1000 * (2 + below(i, 344, 39))
            WHEN 'fee' THEN -(100 + 50 * below(i, 344, 30)) WHEN 'interest' THEN 50 + below(i, 344, 12000) ELSE -(2000 + below(i, 344, 16000)) END
        * CASE currency WHEN 'SEK' THEN 11 WHEN 'PLN' THEN 4 ELSE 1 END AS hundredths,
        CASE category
            WHEN 'salary' THEN pick(['Nordbank Payroll', 'Helvetia Services', 'Atos Staffing', 'City Council', 'Meridian Ltd'], i, 345)
            WHEN 'rent' THEN pick(['Haus & Grund', 'Urban Homes', 'Letting Direct'], i, 345)
            WHEN 'groceries' THEN pick(['FreshMart', 'Kauf & Gut', 'Biedra', 'Albert', 'Corner Foods'], i, 345)
            WHEN 'dining' THEN pick(['Café Central', 'Trattoria Roma', 'Sushi Kai', 'Burger Yard', 'Bistro 22'], i, 345)
            WHEN 'transport' THEN pick(['City Transit', 'RailEurope', 'FuelPoint', 'GoCab'], i, 345)
            WHEN 'utilities' THEN pick(['VoltPower', 'AquaNet', 'TeleOne'], i, 345)
            WHEN 'travel' THEN pick(['SkyWays', 'Hotelio', 'RailEurope'], i, 345)
            WHEN 'insurance' THEN pick(['Allsafe', 'Protecta'], i, 345)
            WHEN 'transfer_in' THEN pick(['own account', 'family', 'refund'], i, 345)
            WHEN 'transfer_out' THEN pick(['own account', 'family', 'friend'], i, 345) END AS counterparty,
        CASE category
            WHEN 'salary' THEN 'transfer' WHEN 'rent' THEN 'transfer' WHEN 'transfer_in' THEN 'transfer' WHEN 'transfer_out' THEN 'transfer'
            WHEN 'utilities' THEN 'direct_debit' WHEN 'insurance' THEN 'direct_debit' WHEN 'cash_withdrawal' THEN 'cash' WHEN 'fee' THEN 'internal' WHEN 'interest' THEN 'internal'
            ELSE 'card' END AS channel,
        first_on + below(i, 346, date_diff('day', first_on, DATE '2025-01-01'))::INTEGER AS booked_on
    FROM drawn
)
SELECT 410000000000000000 + i * 7919, account_id,
    -- Fees, interest and standing orders are booked in the night run at midnight.
    booked_on + to_seconds(CASE WHEN category IN ('fee', 'rent', 'insurance', 'interest') THEN 0 ELSE 6 * 3600 + below(i, 347, 60000) END),
    cents(hundredths), category, counterparty, channel,
    CASE WHEN booked_on >= DATE '2024-12-29' AND chance(i, 348, 40) THEN 'pending' WHEN chance(i, 349, 2) THEN 'reversed' ELSE 'booked' END
FROM valued ORDER BY i;

-- A balance is what was there before 2023 plus everything booked since; closed accounts are empty.
UPDATE bank.accounts a SET balance =
    CASE WHEN a.status = 'closed' THEN 0 ELSE
        cents((CASE a.account_type WHEN 'current' THEN 100000 + below(a.account_id, 351, 900000)
            WHEN 'savings' THEN 300000 + below(a.account_id, 351, 4700000) ELSE 1000000 * (1 + below(a.account_id, 351, 20)) END)
            * CASE a.currency WHEN 'SEK' THEN 11 WHEN 'PLN' THEN 4 ELSE 1 END)
        + coalesce((SELECT sum(t.amount) FROM bank.transactions t WHERE t.account_id = a.account_id AND t.status = 'booked'), 0) END;

INSERT INTO bank.cards
WITH held AS (
    SELECT account_id, opened_on, status, row_number() OVER (ORDER BY account_id, copy) AS i, copy
    FROM bank.accounts, range(0, 2) c(copy)
    WHERE account_type = 'current' AND NOT chance(account_id, 361 + copy::INTEGER, 25 + 35 * copy)
), issued AS (
    SELECT *, least(greatest(opened_on, DATE '2020-06-01') + below(i, 363, 1200)::INTEGER, DATE '2024-12-20') AS issued_on,
        pick(['debit', 'debit', 'credit'], i, 364) AS card_type
    FROM held
)
SELECT 700000 + i, account_id, card_type, pick(['Visa', 'Visa', 'Mastercard'], i, 365), issued_on,
    last_day(issued_on + to_months(36)),
    CASE WHEN last_day(issued_on + to_months(36)) < DATE '2025-01-01' THEN 'expired' WHEN status = 'closed' OR chance(i, 366, 4) THEN 'blocked' ELSE 'active' END,
    CASE WHEN card_type = 'credit' THEN cents(50000 * (1 + below(i, 367, 20))) END,
    CASE WHEN NOT chance(i, 368, 9) THEN make_timestamptz(epoch_us(to_seconds(below(i, 370, 86400))
        + greatest(issued_on, least(last_day(issued_on + to_months(36)), DATE '2024-12-30') - below(i, 369, 90)::INTEGER))) END
FROM issued ORDER BY i;

-- 700 loans of private persons and businesses.
INSERT INTO bank.loans
WITH drawn AS (
    SELECT i, 1 + below(i, 381, 1800) AS customer_id, DATE '2019-03-01' + below(i, 382, 2100)::INTEGER AS disbursed_on FROM range(1, 701) t(i)
), typed AS (
    SELECT d.*, c.segment, c.country,
        CASE WHEN c.segment = 'business' THEN 'business' ELSE pick(['mortgage', 'mortgage', 'car', 'car', 'personal', 'personal', 'personal'], i, 383) END AS product
    FROM drawn d JOIN bank.customers c USING (customer_id)
), termed AS (
    SELECT *, CASE product WHEN 'mortgage' THEN pick([180, 240, 300, 360], i, 384) WHEN 'car' THEN pick([36, 48, 60, 72], i, 384)
        WHEN 'personal' THEN pick([12, 24, 36, 48], i, 384) ELSE pick([36, 60, 84], i, 384) END AS term_months
    FROM typed
)
SELECT 90000 + i, customer_id,
    CASE country WHEN 'Germany' THEN 1 + below(i, 385, 4) WHEN 'France' THEN 5 + below(i, 385, 2) WHEN 'Switzerland' THEN 7 + below(i, 385, 2)
        WHEN 'United Kingdom' THEN 9 + below(i, 385, 3) WHEN 'Poland' THEN 12 + below(i, 385, 2) WHEN 'Sweden' THEN 14 + below(i, 385, 2)
        WHEN 'Netherlands' THEN 16 WHEN 'Spain' THEN 17 END,
    product,
    cents(100000 * CASE product WHEN 'mortgage' THEN 80 + below(i, 386, 420) WHEN 'car' THEN 8 + below(i, 386, 45)
        WHEN 'personal' THEN 2 + below(i, 386, 28) ELSE 25 + below(i, 386, 300) END
        * CASE country WHEN 'Sweden' THEN 11 WHEN 'Poland' THEN 4 ELSE 1 END),
    CASE country WHEN 'Switzerland' THEN 'CHF' WHEN 'United Kingdom' THEN 'GBP' WHEN 'Poland' THEN 'PLN' WHEN 'Sweden' THEN 'SEK' ELSE 'EUR' END,
    ((CASE product WHEN 'mortgage' THEN 150 WHEN 'car' THEN 290 WHEN 'personal' THEN 490 ELSE 360 END + 5 * below(i, 387, 60)) * 0.0001)::DECIMAL(6, 4),
    term_months, disbursed_on,
    CASE WHEN disbursed_on + to_months(term_months::INTEGER) <= DATE '2024-12-31' THEN 'repaid'
         WHEN disbursed_on < DATE '2024-06-01' AND chance(i, 388, CASE product WHEN 'mortgage' THEN 2 WHEN 'car' THEN 5 ELSE 9 END) THEN 'defaulted' ELSE 'active' END
FROM termed ORDER BY i;

-- Monthly instalments that fell due in 2023 and 2024, as they stood at the end of 2024; defaulted loans stopped paying in July 2024.
INSERT INTO bank.loan_payments
WITH due AS (
    SELECT l.*, n, disbursed_on + to_months(n::INTEGER) AS due_on, (l.loan_id - 90000) * 400 + n AS k
    FROM bank.loans l, range(1, 361) m(n)
    WHERE n <= term_months AND disbursed_on + to_months(n::INTEGER) BETWEEN DATE '2023-01-01' AND DATE '2024-12-31'
), charged AS (
    -- An equal share of the principal plus a month's interest on half of it.
    SELECT *, (principal * 0.01 * (100.0 / term_months)::DECIMAL(12, 6) + principal * annual_rate * 0.041667)::DECIMAL(18, 2) AS amount_due,
        CASE WHEN status = 'defaulted' AND due_on >= DATE '2024-07-01' THEN 'missed'
             WHEN chance(k, 391, 2) THEN 'missed'
             WHEN chance(k, 392, 9) THEN CASE WHEN late_on > DATE '2024-12-31' THEN 'missed' ELSE 'late' END
             WHEN chance(k, 393, 2) THEN 'partial' ELSE 'on time' END AS outcome
    FROM (SELECT *, due_on::DATE + (3 + below(k, 394, 40))::INTEGER AS late_on FROM due)
)
SELECT 800000 + row_number() OVER (ORDER BY loan_id, n), loan_id, due_on::DATE,
    CASE outcome WHEN 'missed' THEN NULL WHEN 'late' THEN late_on ELSE greatest(due_on::DATE - below(k, 395, 3)::INTEGER, DATE '2023-01-01') END,
    amount_due, CASE outcome WHEN 'missed' THEN 0 WHEN 'partial' THEN (amount_due * 0.5)::DECIMAL(18, 2) ELSE amount_due END
FROM charged ORDER BY loan_id, n;

-- Daily rates swing around a base within a few percent.
INSERT INTO bank.fx_rates
SELECT day::DATE, currency, (base * (1 + (abs((n * pace) % 400 - 200) - 100) * 0.0003 + (below(n * 10 + c, 401, 21) - 10) * 0.0002))::DECIMAL(12, 6),
    make_timestamptz(epoch_us(day) + (15 * 3600 + below(n * 10 + c, 402, 240)) * 1000000)
FROM (SELECT DATE '2023-01-02' + n::INTEGER AS day, n FROM range(0, 730) t(n)),
    (VALUES (1, 'USD', 0.924000, 1), (2, 'GBP', 1.166000, 2), (3, 'CHF', 1.042000, 3), (4, 'PLN', 0.226000, 2), (5, 'SEK', 0.087500, 1)) r(c, currency, base, pace)
WHERE isodow(day) <= 5
ORDER BY day, c;
