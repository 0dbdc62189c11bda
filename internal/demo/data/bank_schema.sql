CREATE SCHEMA bank;

CREATE TABLE bank.branches (
    branch_id   INTEGER PRIMARY KEY,
    branch_name VARCHAR NOT NULL,
    city        VARCHAR NOT NULL,
    country     VARCHAR NOT NULL,
    opened_on   DATE NOT NULL
);

CREATE TABLE bank.customers (
    customer_id          INTEGER PRIMARY KEY,
    full_name            VARCHAR NOT NULL,
    birth_date           DATE,             -- NULL for businesses
    segment              VARCHAR NOT NULL, -- retail, premium, private, business
    country              VARCHAR NOT NULL,
    city                 VARCHAR NOT NULL,
    email                VARCHAR,
    onboarded_on         DATE NOT NULL,
    kyc_status           VARCHAR NOT NULL, -- verified, pending, expired
    relationship_manager VARCHAR           -- premium, private and business customers only
);

CREATE TABLE bank.accounts (
    account_id      BIGINT PRIMARY KEY,
    customer_id     INTEGER NOT NULL,
    branch_id       INTEGER,               -- NULL for accounts opened online
    account_type    VARCHAR NOT NULL,      -- current, savings, fixed_deposit
    currency        VARCHAR NOT NULL,      -- EUR, USD, GBP, CHF, PLN, SEK
    opened_on       DATE NOT NULL,
    closed_on       DATE,
    status          VARCHAR NOT NULL,      -- active, dormant, closed
    balance         DECIMAL(18, 2) NOT NULL, -- at the end of 2024, in the account's currency
    overdraft_limit DECIMAL(18, 2)         -- current accounts only
);

CREATE TABLE bank.cards (
    card_id      INTEGER PRIMARY KEY,
    account_id   BIGINT NOT NULL,
    card_type    VARCHAR NOT NULL,         -- debit, credit
    network      VARCHAR NOT NULL,         -- Visa, Mastercard
    issued_on    DATE NOT NULL,
    expires_on   DATE NOT NULL,
    status       VARCHAR NOT NULL,         -- active, blocked, expired
    credit_limit DECIMAL(18, 2),           -- credit cards only
    last_used_at TIMESTAMP WITH TIME ZONE  -- NULL if never used
);

CREATE TABLE bank.transactions (
    transaction_id BIGINT PRIMARY KEY,     -- 18 digits
    account_id     BIGINT NOT NULL,
    booked_at      TIMESTAMP NOT NULL,
    amount         DECIMAL(18, 2) NOT NULL, -- negative for money leaving, in the account's currency
    category       VARCHAR NOT NULL,
    counterparty   VARCHAR,                -- NULL for cash and fees
    channel        VARCHAR NOT NULL,       -- card, transfer, cash, direct_debit, internal
    status         VARCHAR NOT NULL        -- booked, pending, reversed
);

CREATE TABLE bank.loans (
    loan_id      INTEGER PRIMARY KEY,
    customer_id  INTEGER NOT NULL,
    branch_id    INTEGER,
    product      VARCHAR NOT NULL,         -- mortgage, car, personal, business
    principal    DECIMAL(18, 2) NOT NULL,
    currency     VARCHAR NOT NULL,
    annual_rate  DECIMAL(6, 4) NOT NULL,   -- a fraction: 0.0425 is 4.25 %
    term_months  INTEGER NOT NULL,
    disbursed_on DATE NOT NULL,
    status       VARCHAR NOT NULL          -- active, repaid, defaulted
);

CREATE TABLE bank.loan_payments (
    payment_id  INTEGER PRIMARY KEY,
    loan_id     INTEGER NOT NULL,
    due_on      DATE NOT NULL,
    paid_on     DATE,                      -- NULL while unpaid
    amount_due  DECIMAL(18, 2) NOT NULL,
    amount_paid DECIMAL(18, 2) NOT NULL
);

CREATE TABLE bank.fx_rates (
    rate_date    DATE NOT NULL,            -- business days only
    currency     VARCHAR NOT NULL,
    eur_rate     DECIMAL(12, 6) NOT NULL,  -- EUR for one unit of the currency
    published_at TIMESTAMP WITH TIME ZONE NOT NULL
);
