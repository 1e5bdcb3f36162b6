CREATE MACRO firn_divide(dividend, divisor) AS
    CASE WHEN divisor = 0 THEN error('firn:100051:Division by zero') ELSE dividend / divisor END;

CREATE MACRO firn_modulo(dividend, divisor) AS
    CASE WHEN divisor = 0 THEN error('firn:100051:Division by zero') ELSE dividend % divisor END;
