INSERT INTO retail.stores VALUES
    ( 1, 'Stockholm Central',  'Stockholm',  'Sweden',         'Nordics',       '2009-03-14', NULL,         2400),
    ( 2, 'Stockholm Kista',    'Stockholm',  'Sweden',         'Nordics',       '2014-09-01', NULL,         1800),
    ( 3, 'Gothenburg Harbour', 'Gothenburg', 'Sweden',         'Nordics',       '2011-05-20', NULL,         1650),
    ( 4, 'Copenhagen Strøget', 'Copenhagen', 'Denmark',        'Nordics',       '2012-10-05', NULL,         2100),
    ( 5, 'Oslo Aker Brygge',   'Oslo',       'Norway',         'Nordics',       '2016-04-08', NULL,         NULL),
    ( 6, 'Berlin Mitte',       'Berlin',     'Germany',        'DACH',          '2008-06-12', NULL,         3200),
    ( 7, 'Berlin Spandau',     'Berlin',     'Germany',        'DACH',          '2017-11-16', '2024-03-31', 1400),
    ( 8, 'Munich Marienplatz', 'Munich',     'Germany',        'DACH',          '2010-02-26', NULL,         2800),
    ( 9, 'Hamburg Altona',     'Hamburg',    'Germany',        'DACH',          '2013-08-30', NULL,         1950),
    (10, 'Vienna Graben',      'Vienna',     'Austria',        'DACH',          '2015-05-07', NULL,         1700),
    (11, 'Zurich Bahnhof',     'Zurich',     'Switzerland',    'DACH',          '2018-03-23', NULL,         1300),
    (12, 'Amsterdam Zuid',     'Amsterdam',  'Netherlands',    'Benelux',       '2010-09-10', NULL,         2200),
    (13, 'Rotterdam Markthal', 'Rotterdam',  'Netherlands',    'Benelux',       '2016-10-14', NULL,         1600),
    (14, 'Brussels Louise',    'Brussels',   'Belgium',        'Benelux',       '2014-04-04', NULL,         1500),
    (15, 'Antwerp Meir',       'Antwerp',    'Belgium',        'Benelux',       '2019-06-21', '2023-09-30', NULL),
    (16, 'Madrid Gran Vía',    'Madrid',     'Spain',          'Iberia',        '2013-03-01', NULL,         2600),
    (17, 'Barcelona Gràcia',   'Barcelona',  'Spain',          'Iberia',        '2015-09-25', NULL,         2300),
    (18, 'Valencia Colón',     'Valencia',   'Spain',          'Iberia',        '2020-02-14', NULL,         1200),
    (19, 'Lisbon Chiado',      'Lisbon',     'Portugal',       'Iberia',        '2017-05-19', NULL,         1550),
    (20, 'London Shoreditch',  'London',     'United Kingdom', 'British Isles', '2012-07-27', NULL,         2500),
    (21, 'London Richmond',    'London',     'United Kingdom', 'British Isles', '2021-04-30', NULL,         1100),
    (22, 'Dublin Docklands',   'Dublin',     'Ireland',        'British Isles', '2018-08-24', NULL,         1450),
    (23, 'Porto Ribeira',      'Porto',      'Portugal',       'Iberia',        '2025-02-01', NULL,         1250),
    (24, 'Helsinki Kamppi',    'Helsinki',   'Finland',        'Nordics',       '2025-03-15', NULL,         1750);

INSERT INTO retail.categories VALUES
    ( 1, 'Cookware',     'Home'),        ( 2, 'Lighting',    'Home'),        ( 3, 'Bedding',  'Home'),
    ( 4, 'Camping',      'Outdoor'),     ( 5, 'Cycling',     'Outdoor'),     ( 6, 'Garden',   'Outdoor'),
    ( 7, 'Audio',        'Electronics'), ( 8, 'Smart Home',  'Electronics'), ( 9, 'Wearables','Electronics'),
    (10, 'Knitwear',     'Apparel'),     (11, 'Footwear',    'Apparel'),     (12, 'Rainwear', 'Apparel'),
    (13, 'Gift Cards',   'Services');

-- 360 products; the last 12 were launched in December 2024 and have not sold yet. No product is a gift card.
INSERT INTO retail.products
WITH drawn AS (
    SELECT i, 1 + (i - 1) % 12 AS category_id,
        pick(['Nordlys', 'Alpina', 'Casa Lume', 'Harbour & Co', 'Vela', 'Montero', 'Kestrel', 'Oakfield'], i, 101) AS brand,
        pick(['Classic', 'Compact', 'Pro', 'Light', 'Premium', 'Eco', 'Urban', 'Trail', 'Duo', 'Heritage'], i, 102) AS line,
        ([['Frying Pan', 'Saucepan', 'Casserole'], ['Desk Lamp', 'Floor Lamp', 'Pendant'], ['Duvet', 'Pillow', 'Throw'],
          ['Tent', 'Sleeping Bag', 'Stove'], ['Helmet', 'Pannier', 'Bike Light'], ['Pruner', 'Planter', 'Hose Reel'],
          ['Headphones', 'Speaker', 'Soundbar'], ['Thermostat', 'Door Sensor', 'Smart Plug'], ['Fitness Band', 'Watch', 'Heart Monitor'],
          ['Cardigan', 'Jumper', 'Scarf'], ['Walking Boot', 'Trainer', 'Sandal'], ['Parka', 'Umbrella', 'Rain Trousers']][category_id])[1 + below(i, 103, 3)] AS thing,
        [24, 39, 29, 79, 45, 19, 89, 49, 99, 59, 79, 69][category_id] AS base_price
    FROM range(1, 361) t(i)
), priced AS (
    SELECT *, (base_price * (60 + below(i, 104, 180)) // 100) AS euros, pick([99, 99, 95, 90, 50, 0], i, 105) AS hundredths FROM drawn
)
SELECT i,
    upper(left(brand, 3)) || '-' || lpad(category_id::VARCHAR, 2, '0') || '-' || lpad(i::VARCHAR, 4, '0'),
    brand || ' ' || line || ' ' || thing, category_id, brand,
    cents((euros * 100 + hundredths) * (45 + below(i, 106, 31)) // 100),
    cents(euros * 100 + hundredths),
    CASE WHEN NOT chance(i, 107, 8) THEN [40, 30, 24, 80, 20, 50, 30, 4, 2, 10, 18, 12][category_id] * (50 + below(i, 108, 101)) / 2000.0::DOUBLE END,
    CASE WHEN i > 348 THEN DATE '2024-12-01' + below(i, 109, 30)::INTEGER ELSE DATE '2019-01-01' + below(i, 110, 1400)::INTEGER END,
    CASE WHEN i <= 348 AND chance(i, 111, 12) THEN DATE '2024-01-01' + below(i, 112, 366)::INTEGER END
FROM priced ORDER BY i;

INSERT INTO retail.promotions VALUES
    (1, 'Winter Clearance 2023', '2023-01-02', '2023-01-31', 20), (2, 'Spring Refresh 2023', '2023-04-03', '2023-04-16', 10),
    (3, 'Summer Outdoor 2023',   '2023-06-19', '2023-07-16', 15), (4, 'Black Week 2023',     '2023-11-20', '2023-11-27', 30),
    (5, 'Winter Clearance 2024', '2024-01-02', '2024-01-31', 20), (6, 'Spring Refresh 2024', '2024-04-01', '2024-04-14', 10),
    (7, 'Summer Outdoor 2024',   '2024-06-17', '2024-07-14', 15), (8, 'Back to School 2024', '2024-08-19', '2024-09-08', 10),
    (9, 'Black Week 2024',       '2024-11-25', '2024-12-02', 30), (10, 'New Year Preview 2025', '2025-01-02', '2025-01-12', 20);

-- 20,000 orders, busier in 2024 and from November on. Order numbers follow the time of the order.
CREATE TEMP TABLE drawn_orders AS
WITH moments AS (
    SELECT i, CASE WHEN chance(i, 201, 46) THEN 2023 ELSE 2024 END AS y,
        CASE WHEN chance(i, 202, 22) THEN 304 + below(i, 203, 54) ELSE below(i, 203, 366) END AS day_of_year
    FROM range(1, 20001) t(i)
), placed AS (
    SELECT i, least(make_date(y, 1, 1) + day_of_year::INTEGER, make_date(y, 12, 31)) AS ordered_on,
        pick(['store', 'store', 'store', 'store', 'store', 'store', 'web', 'web', 'web', 'app'], i, 204) AS channel
    FROM moments
), located AS (
    SELECT *, CASE WHEN channel = 'store' THEN
        (SELECT [1, 1, 1, 2, 3, 3, 4, 4, 5, 6, 6, 6, 6, 7, 8, 8, 8, 9, 9, 10, 11, 12, 12, 12, 13, 14, 14, 15, 16, 16, 16, 17, 17, 18, 19, 20, 20, 20, 21, 22])[1 + below(i, 205, 40)] END AS drawn_store
    FROM placed
), opened AS (
    -- A closed store's later orders go to its neighbour.
    SELECT * REPLACE (CASE WHEN drawn_store = 7 AND ordered_on > DATE '2024-03-31' THEN 6
                           WHEN drawn_store = 15 AND ordered_on > DATE '2023-09-30' THEN 14 ELSE drawn_store END AS drawn_store)
    FROM located
)
SELECT 100000 + row_number() OVER (ORDER BY ordered_on, second_of_day, i) AS order_id, i, channel, drawn_store AS store_id,
    ordered_on, ordered_on + to_seconds(second_of_day) AS ordered_at,
    CASE WHEN channel = 'store' AND chance(i, 207, 35) THEN NULL
         -- The smaller of two draws: low numbers buy often, numbers above 2,600 never.
         ELSE 1 + least(below(i, 208, 2600), below(i, 209, 2600)) END AS customer_id
FROM (SELECT *, (9 + below(i, 206, 11)) * 3600 + below(i, 210, 3600) AS second_of_day FROM opened);

INSERT INTO retail.orders
SELECT o.order_id, o.customer_id, o.store_id, o.channel, o.ordered_at,
    CASE WHEN o.ordered_on >= DATE '2024-12-16' AND chance(i, 211, 40) THEN 'pending'
         WHEN chance(i, 212, 6) THEN 'cancelled'
         WHEN chance(i, 213, 4) THEN 'returned' ELSE 'completed' END,
    CASE WHEN chance(i, 214, 55) THEN p.promotion_id END,
    CASE WHEN o.channel <> 'store' THEN pick([0.00, 4.90, 4.90, 7.90], i, 215) END
FROM drawn_orders o
LEFT JOIN retail.promotions p ON o.ordered_on BETWEEN p.starts_on AND p.ends_on
ORDER BY o.order_id;

-- One to five lines an order.
INSERT INTO retail.order_items
WITH lines AS (
    SELECT o.order_id, o.promotion_id, n.line_no, (o.order_id - 100000) * 8 + n.line_no AS k
    FROM retail.orders o, range(1, 6) n(line_no)
    WHERE n.line_no <= 1 + least(below(o.order_id, 221, 5), below(o.order_id, 222, 5))
), chosen AS (
    SELECT *, 1 + least(below(k, 223, 348), below(k, 224, 360)) AS product_id,
        pick([1, 1, 1, 1, 1, 2, 2, 3, 4], k, 225) AS quantity
    FROM lines
)
SELECT c.order_id, c.line_no, c.product_id, c.quantity, p.list_price, d.discount_pct,
    (c.quantity * p.list_price * ((100 - d.discount_pct) * 0.01))::DECIMAL(12, 2)
FROM chosen c
JOIN retail.products p ON p.product_id = least(c.product_id, 348)
CROSS JOIN LATERAL (SELECT coalesce((SELECT discount_pct FROM retail.promotions r WHERE r.promotion_id = c.promotion_id),
    CASE WHEN chance(c.k, 226, 6) THEN 5 ELSE 0 END) AS discount_pct) d
ORDER BY c.order_id, c.line_no;

-- About one completed or returned line in sixteen came back, some of its pieces or all.
INSERT INTO retail.returns
WITH back AS (
    SELECT i.*, o.ordered_at, (i.order_id - 100000) * 8 + i.line_no AS k
    FROM retail.order_items i JOIN retail.orders o USING (order_id)
    WHERE o.status = 'returned' OR (o.status = 'completed' AND chance((i.order_id - 100000) * 8 + i.line_no, 231, 3))
), counted AS (
    SELECT *, CASE WHEN chance(k, 232, 25) THEN 1 ELSE quantity END AS pieces FROM back
)
SELECT 5000 + row_number() OVER (ORDER BY order_id, line_no), order_id, line_no,
    least(ordered_at::DATE + (2 + below(k, 233, 26))::INTEGER, DATE '2024-12-31'), pieces,
    pick(['damaged', 'wrong size', 'changed mind', 'not as described', 'arrived late', NULL], k, 234),
    (net_amount * pieces / quantity)::DECIMAL(12, 2)
FROM counted ORDER BY order_id, line_no;

-- Customers joined before their first order.
INSERT INTO retail.customers
WITH first_orders AS (
    SELECT customer_id, min(ordered_at)::DATE AS first_on FROM retail.orders WHERE customer_id IS NOT NULL GROUP BY customer_id
), named AS (
    SELECT i,
        pick(['Anna', 'Lukas', 'Maria', 'Oliver', 'Sofia', 'Emil', 'Ingrid', 'Carlos', 'Lucía', 'João', 'Beatriz', 'Sean', 'Aoife', 'Emma',
              'Noah', 'Elsa', 'Mateo', 'Hannah', 'Jonas', 'Clara', 'Pieter', 'Sanne', 'Thomas', 'Amélie', 'Nils', 'Freja', 'Marta', 'Hugo',
              'Grace', 'Oscar'], i, 241) AS first_name,
        pick(['Andersson', 'Müller', 'García', 'Silva', 'Murphy', 'De Vries', 'Janssens', 'Hansen', 'Schmidt', 'Fernández', 'Costa', 'Kelly',
              'Bakker', 'Peeters', 'Nielsen', 'Weber', 'López', 'Santos', 'Byrne', 'Visser', 'Maes', 'Larsen', 'Fischer', 'Martínez',
              'Ferreira', 'Walsh', 'Smit', 'Claes', 'Olsen', 'Huber', 'Smith', 'O''Brien'], i, 242) AS last_name,
        pick([{'city': 'Stockholm', 'country': 'Sweden'}, {'city': 'Stockholm', 'country': 'Sweden'}, {'city': 'Gothenburg', 'country': 'Sweden'},
              {'city': 'Copenhagen', 'country': 'Denmark'}, {'city': 'Oslo', 'country': 'Norway'}, {'city': 'Berlin', 'country': 'Germany'},
              {'city': 'Berlin', 'country': 'Germany'}, {'city': 'Munich', 'country': 'Germany'}, {'city': 'Hamburg', 'country': 'Germany'},
              {'city': 'Vienna', 'country': 'Austria'}, {'city': 'Zurich', 'country': 'Switzerland'}, {'city': 'Amsterdam', 'country': 'Netherlands'},
              {'city': 'Rotterdam', 'country': 'Netherlands'}, {'city': 'Brussels', 'country': 'Belgium'}, {'city': 'Madrid', 'country': 'Spain'},
              {'city': 'Barcelona', 'country': 'Spain'}, {'city': 'Lisbon', 'country': 'Portugal'}, {'city': 'London', 'country': 'United Kingdom'},
              {'city': 'London', 'country': 'United Kingdom'}, {'city': 'Dublin', 'country': 'Ireland'}], i, 243) AS home
    FROM range(1, 3001) t(i)
)
SELECT i, first_name, last_name,
    CASE WHEN NOT chance(i, 244, 12) THEN lower(strip_accents(replace(replace(first_name || '.' || last_name, ' ', ''), '''', ''))) || i || '@example.com' END,
    CASE WHEN NOT chance(i, 245, 9) THEN DATE '1945-01-01' + below(i, 246, 21000)::INTEGER END,
    home.city, home.country,
    least(DATE '2019-01-01' + below(i, 247, 2190)::INTEGER, coalesce(first_on, DATE '2024-12-31')),
    pick(['bronze', 'bronze', 'bronze', 'silver', 'silver', 'gold', NULL, NULL, NULL], i, 248)
FROM named LEFT JOIN first_orders ON customer_id = i
ORDER BY i;

-- Quarterly stock counts of every ninth product.
INSERT INTO retail.inventory
WITH counts AS (
    SELECT last_day(DATE '2023-03-01' + to_months((3 * q)::INTEGER)) AS snapshot_date, store_id, 9 * n AS product_id,
        (q * 100 + store_id) * 50 + n AS k
    FROM range(0, 8) a(q), retail.stores, range(1, 41) b(n)
    WHERE opened_on <= last_day(DATE '2023-03-01' + to_months((3 * q)::INTEGER))
      AND (closed_on IS NULL OR closed_on > last_day(DATE '2023-03-01' + to_months((3 * q)::INTEGER)))
)
SELECT snapshot_date, store_id, product_id,
    CASE WHEN chance(k, 251, 2) THEN NULL WHEN chance(k, 252, 7) THEN 0 ELSE 1 + below(k, 253, 60) END
FROM counts ORDER BY snapshot_date, store_id, product_id;

DROP TABLE drawn_orders;
