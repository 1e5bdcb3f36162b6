SELECT {database_name} AS "CATALOG_NAME"
