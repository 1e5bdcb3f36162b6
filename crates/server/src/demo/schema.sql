CREATE TABLE REGIONS (
  REGION_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the region',
  REGION_NAME VARCHAR(40) NOT NULL COMMENT 'Name of the sales region',
  OPENED_ON DATE NOT NULL COMMENT 'First day of business in the region'
) COMMENT = 'Sales regions of the company';

CREATE TABLE STORES (
  STORE_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the store',
  STORE_NAME VARCHAR(60) NOT NULL COMMENT 'Name on the door',
  STORE_TYPE VARCHAR(20) NOT NULL COMMENT 'Flagship, City or Outlet',
  REGION_ID INTEGER NOT NULL REFERENCES REGIONS (REGION_ID) COMMENT 'Region the store belongs to',
  COUNTRY VARCHAR(40) NOT NULL COMMENT 'Country the store stands in',
  CITY VARCHAR(40) NOT NULL COMMENT 'City the store stands in',
  FLOOR_AREA INTEGER NOT NULL COMMENT 'Sales floor in square metres',
  OPENED_ON DATE NOT NULL COMMENT 'First day of business',
  CLOSED_ON DATE COMMENT 'Last day of business; empty while the store is open'
) COMMENT = 'Stores, open and closed';

CREATE TABLE EMPLOYEES (
  EMPLOYEE_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the employee',
  FIRST_NAME VARCHAR(40) NOT NULL COMMENT 'First name',
  LAST_NAME VARCHAR(40) NOT NULL COMMENT 'Last name',
  JOB_TITLE VARCHAR(40) NOT NULL COMMENT 'What the employee does, such as Sales Associate or Store Manager',
  DEPARTMENT VARCHAR(20) NOT NULL COMMENT 'Management, Sales or Support',
  STORE_ID INTEGER REFERENCES STORES (STORE_ID) COMMENT 'Store the employee works in; empty for head office',
  MANAGER_ID INTEGER REFERENCES EMPLOYEES (EMPLOYEE_ID) COMMENT 'Employee this one reports to; empty for the chief executive',
  SALARY NUMBER(10,2) NOT NULL COMMENT 'Yearly salary in euros',
  HIRED_ON DATE NOT NULL COMMENT 'First working day',
  LEFT_ON DATE COMMENT 'Last working day; empty for current employees'
) COMMENT = 'Everyone who works or worked for the company';

CREATE TABLE SUPPLIERS (
  SUPPLIER_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the supplier',
  SUPPLIER_NAME VARCHAR(60) NOT NULL COMMENT 'Name of the supplying company',
  COUNTRY VARCHAR(40) NOT NULL COMMENT 'Country goods are sent from',
  LEAD_TIME_DAYS INTEGER NOT NULL COMMENT 'Days from purchase order to arrival',
  RATING NUMBER(2,1) COMMENT 'Quality rating from 1.0 to 5.0; empty when not yet rated',
  IS_PREFERRED BOOLEAN NOT NULL COMMENT 'Whether there is a framework contract'
) COMMENT = 'Companies that goods are bought from';

CREATE TABLE PRODUCTS (
  PRODUCT_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the product',
  PRODUCT_NAME VARCHAR(80) NOT NULL COMMENT 'Name of the product',
  CATEGORY VARCHAR(40) NOT NULL COMMENT 'Product category, such as Skiing or Footwear',
  SUBCATEGORY VARCHAR(40) NOT NULL COMMENT 'Finer kind within the category',
  SUPPLIER_ID INTEGER NOT NULL REFERENCES SUPPLIERS (SUPPLIER_ID) COMMENT 'Supplier the product is bought from',
  LIST_PRICE NUMBER(10,2) NOT NULL COMMENT 'Price at launch in euros, before discounts and yearly price rises',
  UNIT_COST NUMBER(10,2) NOT NULL COMMENT 'What one piece costs the company in euros',
  LAUNCHED_ON DATE NOT NULL COMMENT 'First day on sale',
  DISCONTINUED_ON DATE COMMENT 'Last day on sale; empty while the product is sold',
  ATTRIBUTES VARIANT COMMENT 'Further properties: color, weight_grams, waterproof, sizes; empty for some older products'
) COMMENT = 'Everything that is or was for sale';

CREATE TABLE CUSTOMERS (
  CUSTOMER_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the customer',
  FIRST_NAME VARCHAR(40) NOT NULL COMMENT 'First name',
  LAST_NAME VARCHAR(40) NOT NULL COMMENT 'Last name',
  COMPANY_NAME VARCHAR(60) COMMENT 'Company the customer buys for; empty for consumers',
  EMAIL VARCHAR(120) COMMENT 'E-mail address, if known',
  SEGMENT VARCHAR(20) NOT NULL COMMENT 'Consumer, Business or Club',
  LOYALTY_TIER VARCHAR(10) COMMENT 'Bronze, Silver or Gold; empty for customers outside the loyalty programme',
  REGION_ID INTEGER NOT NULL REFERENCES REGIONS (REGION_ID) COMMENT 'Region the customer lives in',
  COUNTRY VARCHAR(40) NOT NULL COMMENT 'Country the customer lives in',
  CITY VARCHAR(40) NOT NULL COMMENT 'City the customer lives in',
  BIRTH_DATE DATE COMMENT 'Date of birth, if told',
  SIGNED_UP_ON DATE NOT NULL COMMENT 'Day the customer account was made',
  ACCEPTS_MARKETING BOOLEAN NOT NULL COMMENT 'Whether the customer agreed to newsletters'
) COMMENT = 'Customer accounts';

CREATE TABLE ORDERS (
  ORDER_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the order',
  CUSTOMER_ID INTEGER NOT NULL REFERENCES CUSTOMERS (CUSTOMER_ID) COMMENT 'Customer who ordered',
  CHANNEL VARCHAR(10) NOT NULL COMMENT 'Store, Web or App',
  STORE_ID INTEGER REFERENCES STORES (STORE_ID) COMMENT 'Store of the sale; empty for online orders',
  EMPLOYEE_ID INTEGER REFERENCES EMPLOYEES (EMPLOYEE_ID) COMMENT 'Employee who made the sale; empty for online orders',
  ORDERED_AT TIMESTAMP_NTZ NOT NULL COMMENT 'Local date and time of the order',
  STATUS VARCHAR(12) NOT NULL COMMENT 'Processing, Shipped, Completed or Cancelled',
  PAYMENT_METHOD VARCHAR(20) NOT NULL COMMENT 'Card, Cash, Invoice, Wallet or Gift Card',
  PROMOTION VARCHAR(20) COMMENT 'Campaign the order was part of, such as Black Friday; empty for most',
  SHIPPED_ON DATE COMMENT 'Day the parcel left; empty for store sales and parcels not yet sent',
  DELIVERED_ON DATE COMMENT 'Day the parcel arrived; empty for store sales and parcels under way',
  SHIPPING_FEE NUMBER(8,2) NOT NULL COMMENT 'Shipping paid by the customer in euros',
  TOTAL_AMOUNT NUMBER(12,2) NOT NULL COMMENT 'Sum of the order lines after discounts, without shipping, in euros'
) COMMENT = 'One row per order, cancelled ones included';

CREATE TABLE ORDER_ITEMS (
  ORDER_ID INTEGER NOT NULL REFERENCES ORDERS (ORDER_ID) COMMENT 'Order the line belongs to',
  LINE_NUMBER INTEGER NOT NULL COMMENT 'Position within the order, from 1',
  PRODUCT_ID INTEGER NOT NULL REFERENCES PRODUCTS (PRODUCT_ID) COMMENT 'Product ordered',
  QUANTITY INTEGER NOT NULL COMMENT 'Pieces ordered',
  UNIT_PRICE NUMBER(10,2) NOT NULL COMMENT 'Price of one piece in euros before discount',
  DISCOUNT_PERCENT INTEGER NOT NULL COMMENT 'Discount on the line in percent',
  LINE_AMOUNT NUMBER(12,2) NOT NULL COMMENT 'Quantity times price after discount in euros',
  PRIMARY KEY (ORDER_ID, LINE_NUMBER)
) COMMENT = 'The lines of every order';

CREATE TABLE RETURNS (
  RETURN_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the return',
  ORDER_ID INTEGER NOT NULL COMMENT 'Order the goods came from',
  LINE_NUMBER INTEGER NOT NULL COMMENT 'Line of that order',
  RETURNED_ON DATE NOT NULL COMMENT 'Day the goods came back',
  QUANTITY INTEGER NOT NULL COMMENT 'Pieces returned',
  REASON VARCHAR(30) COMMENT 'Why the customer returned them; empty when not told',
  REFUND_AMOUNT NUMBER(12,2) NOT NULL COMMENT 'Money paid back in euros',
  FOREIGN KEY (ORDER_ID, LINE_NUMBER) REFERENCES ORDER_ITEMS (ORDER_ID, LINE_NUMBER)
) COMMENT = 'Goods that came back';

CREATE TABLE SUPPORT_TICKETS (
  TICKET_ID INTEGER NOT NULL PRIMARY KEY COMMENT 'Number of the ticket',
  CUSTOMER_ID INTEGER NOT NULL REFERENCES CUSTOMERS (CUSTOMER_ID) COMMENT 'Customer who asked',
  ORDER_ID INTEGER REFERENCES ORDERS (ORDER_ID) COMMENT 'Order it is about; empty for general questions',
  EMPLOYEE_ID INTEGER NOT NULL REFERENCES EMPLOYEES (EMPLOYEE_ID) COMMENT 'Support agent in charge',
  TOPIC VARCHAR(20) NOT NULL COMMENT 'Delivery, Return, Product, Payment or Account',
  PRIORITY VARCHAR(10) NOT NULL COMMENT 'Low, Normal, High or Urgent',
  OPENED_AT TIMESTAMP_NTZ NOT NULL COMMENT 'When the customer wrote',
  CLOSED_AT TIMESTAMP_NTZ COMMENT 'When the case was solved; empty while open',
  SATISFACTION INTEGER COMMENT 'Rating by the customer from 1 to 5; empty when none was given'
) COMMENT = 'Questions and complaints of customers';

CREATE TABLE SALES_TARGETS (
  REGION_ID INTEGER NOT NULL REFERENCES REGIONS (REGION_ID) COMMENT 'Region the target is for',
  MONTH DATE NOT NULL COMMENT 'First day of the month',
  TARGET_AMOUNT NUMBER(12,2) NOT NULL COMMENT 'Sales wanted in that month in euros',
  PRIMARY KEY (REGION_ID, MONTH)
) COMMENT = 'Monthly sales targets per region';

CREATE VIEW SALES COMMENT = 'One row per order line of every order that was not cancelled, with where, what and how much' AS
SELECT
  o.ORDER_ID,
  i.LINE_NUMBER,
  CAST(o.ORDERED_AT AS DATE) AS ORDER_DATE,
  r.REGION_NAME,
  c.COUNTRY,
  c.SEGMENT,
  o.CHANNEL,
  p.CATEGORY,
  p.PRODUCT_NAME,
  i.QUANTITY,
  i.LINE_AMOUNT AS REVENUE,
  i.QUANTITY * p.UNIT_COST AS COST,
  i.LINE_AMOUNT - i.QUANTITY * p.UNIT_COST AS MARGIN
FROM ORDER_ITEMS i
JOIN ORDERS o ON o.ORDER_ID = i.ORDER_ID
JOIN CUSTOMERS c ON c.CUSTOMER_ID = o.CUSTOMER_ID
JOIN REGIONS r ON r.REGION_ID = c.REGION_ID
JOIN PRODUCTS p ON p.PRODUCT_ID = i.PRODUCT_ID
WHERE o.STATUS <> 'Cancelled';

CREATE VIEW MONTHLY_SALES COMMENT = 'Sales per month and region beside the target' AS
SELECT
  t.MONTH,
  r.REGION_NAME,
  t.TARGET_AMOUNT,
  SUM(s.REVENUE) AS REVENUE,
  COUNT(DISTINCT s.ORDER_ID) AS ORDERS
FROM SALES_TARGETS t
JOIN REGIONS r ON r.REGION_ID = t.REGION_ID
LEFT JOIN SALES s ON s.REGION_NAME = r.REGION_NAME AND DATE_TRUNC('MONTH', s.ORDER_DATE) = t.MONTH
GROUP BY t.MONTH, r.REGION_NAME, t.TARGET_AMOUNT;
