CREATE SCHEMA retail;

CREATE TABLE retail.stores (
    store_id      INTEGER PRIMARY KEY,
    store_name    VARCHAR NOT NULL,
    city          VARCHAR NOT NULL,
    country       VARCHAR NOT NULL,
    region        VARCHAR NOT NULL,      -- Nordics, DACH, Benelux, Iberia, British Isles
    opened_on     DATE NOT NULL,
    closed_on     DATE,                  -- NULL while the store is open
    floor_area_m2 INTEGER                -- NULL where it was never measured
);

CREATE TABLE retail.categories (
    category_id   INTEGER PRIMARY KEY,
    category_name VARCHAR NOT NULL,
    department    VARCHAR NOT NULL       -- Home, Outdoor, Electronics, Apparel
);

CREATE TABLE retail.products (
    product_id      INTEGER PRIMARY KEY,
    sku             VARCHAR NOT NULL,
    product_name    VARCHAR NOT NULL,
    category_id     INTEGER NOT NULL,
    brand           VARCHAR NOT NULL,
    unit_cost       DECIMAL(10, 2) NOT NULL,
    list_price      DECIMAL(10, 2) NOT NULL,
    weight_kg       DOUBLE,              -- NULL where unknown
    launched_on     DATE NOT NULL,
    discontinued_on DATE                 -- NULL while on sale
);

CREATE TABLE retail.customers (
    customer_id  INTEGER PRIMARY KEY,
    first_name   VARCHAR NOT NULL,
    last_name    VARCHAR NOT NULL,
    email        VARCHAR,                -- NULL where none was given
    birth_date   DATE,
    city         VARCHAR NOT NULL,
    country      VARCHAR NOT NULL,
    signup_date  DATE NOT NULL,
    loyalty_tier VARCHAR                 -- bronze, silver, gold; NULL outside the programme
);

CREATE TABLE retail.promotions (
    promotion_id   INTEGER PRIMARY KEY,
    promotion_name VARCHAR NOT NULL,
    starts_on      DATE NOT NULL,
    ends_on        DATE NOT NULL,        -- last day of the promotion
    discount_pct   INTEGER NOT NULL
);

CREATE TABLE retail.orders (
    order_id     BIGINT PRIMARY KEY,
    customer_id  INTEGER,                -- NULL for guests
    store_id     INTEGER,                -- NULL for web and app orders
    channel      VARCHAR NOT NULL,       -- store, web, app
    ordered_at   TIMESTAMP NOT NULL,
    status       VARCHAR NOT NULL,       -- completed, cancelled, returned, pending
    promotion_id INTEGER,
    shipping_fee DECIMAL(8, 2)           -- NULL for store orders
);

CREATE TABLE retail.order_items (
    order_id     BIGINT NOT NULL,
    line_no      INTEGER NOT NULL,
    product_id   INTEGER NOT NULL,
    quantity     INTEGER NOT NULL,
    unit_price   DECIMAL(10, 2) NOT NULL,
    discount_pct INTEGER NOT NULL,
    net_amount   DECIMAL(12, 2) NOT NULL -- quantity * unit_price less the discount, EUR
);

CREATE TABLE retail.returns (
    return_id     INTEGER PRIMARY KEY,
    order_id      BIGINT NOT NULL,
    line_no       INTEGER NOT NULL,
    returned_on   DATE NOT NULL,
    quantity      INTEGER NOT NULL,
    reason        VARCHAR,               -- NULL where the customer gave none
    refund_amount DECIMAL(12, 2) NOT NULL
);

CREATE TABLE retail.inventory (
    snapshot_date DATE NOT NULL,         -- last day of a quarter
    store_id      INTEGER NOT NULL,
    product_id    INTEGER NOT NULL,
    on_hand       INTEGER                -- NULL where the count was missed
);
