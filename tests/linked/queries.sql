SELECT id, customer, amount, ordered_on, ordered_at, weight, paid FROM orders ORDER BY id
SELECT * FROM orders ORDER BY id DESC
SELECT customer, COUNT(*), SUM(amount), AVG(amount), MIN(ordered_on), MAX(ordered_at) FROM orders GROUP BY customer ORDER BY customer
SELECT id, id / 3, amount / 3, amount * amount, amount + id, id % 2, -amount FROM orders ORDER BY id
SELECT id, CAST(weight AS INT), CAST(amount AS INT), amount::NUMBER(10,1), id::VARCHAR, amount::VARCHAR FROM orders ORDER BY id
SELECT id, DATEADD(month, 1, ordered_on), DATEADD(day, -3, ordered_on), DATE_TRUNC('month', ordered_on) FROM orders ORDER BY id
SELECT id, DATEDIFF(year, ordered_on, '2024-12-31'::DATE), DATEDIFF(month, ordered_on, '2024-12-31'::DATE), '2024-12-31'::DATE - ordered_on FROM orders ORDER BY id
SELECT id, YEAR(ordered_at), MONTH(ordered_at), HOUR(ordered_at), DATE_TRUNC('hour', ordered_at) FROM orders ORDER BY id
SELECT id, GREATEST(id, 2), COALESCE(amount, 0), NVL(customer, 'nobody'), IFF(paid, 'yes', 'no') FROM orders ORDER BY id
SELECT id, UPPER(customer), customer || '-' || id, SUBSTR(customer, 2, 2), LENGTH(customer), REPLACE(customer, 'n', 'm') FROM orders ORDER BY id
SELECT customer FROM orders WHERE customer LIKE '%n%' OR customer RLIKE 'b.b' ORDER BY id
SELECT customer FROM orders WHERE customer RLIKE 'nn' ORDER BY id
SELECT id AS a, a + 1 AS b FROM orders WHERE b > 2 ORDER BY a
SELECT id, ROW_NUMBER() OVER (ORDER BY amount), RANK() OVER (PARTITION BY customer ORDER BY amount DESC), SUM(amount) OVER (ORDER BY id) FROM orders ORDER BY id
SELECT id, LAG(amount) OVER (ORDER BY id), LAST_VALUE(amount) OVER (ORDER BY id) FROM orders ORDER BY id
WITH totals AS (SELECT customer, SUM(amount) AS total FROM orders GROUP BY customer) SELECT o.id, t.total FROM orders o JOIN totals t ON o.customer = t.customer ORDER BY o.id
SELECT id FROM orders WHERE customer IN (SELECT customer FROM orders WHERE amount < 0) ORDER BY id
SELECT id FROM orders o WHERE EXISTS (SELECT 1 FROM orders x WHERE x.customer = o.customer AND x.id <> o.id) ORDER BY id
SELECT id FROM orders UNION ALL SELECT id + 10 FROM orders ORDER BY 1
SELECT CASE WHEN amount > 1 THEN 'large' WHEN amount IS NULL THEN 'none' ELSE 'small' END AS size, COUNT(DISTINCT customer) FROM orders GROUP BY 1 ORDER BY 1
SELECT ROUND(amount, 1), CEIL(amount), FLOOR(amount), ABS(amount), SIGN(amount) FROM orders ORDER BY id
SELECT SQRT(ABS(weight)), POWER(weight, 2), LN(2), EXP(0) FROM orders ORDER BY id
SELECT id IS DISTINCT FROM 1, EQUAL_NULL(id, NULL), NULLIF(id, 2), ZEROIFNULL(amount) FROM orders ORDER BY id
SELECT COUNT(*), SUM(n), AVG(n), MAX(n) FROM many
SELECT id, 'it''s \\ "so"' FROM orders LIMIT 0
