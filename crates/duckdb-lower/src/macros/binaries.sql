CREATE MACRO firn_is_encryption_method(value) AS typeof(value) = 'VARCHAR' AND starts_with(upper(CAST(value AS VARCHAR)), 'AES-');

CREATE MACRO firn_compress(value, method) AS firn_compress_bytes(firn_bytes(value), method);

CREATE MACRO firn_encrypt
    (value, passphrase) AS firn_encrypt_bytes(firn_bytes(value), passphrase, ''::BLOB, 'AES-GCM'),
    (value, passphrase, method) AS firn_encrypt_bytes(firn_bytes(value), passphrase,
        CASE WHEN firn_is_encryption_method(method) THEN ''::BLOB ELSE coalesce(firn_bytes(method), ''::BLOB) END,
        CASE WHEN firn_is_encryption_method(method) THEN CAST(method AS VARCHAR) ELSE 'AES-GCM' END),
    (value, passphrase, authenticated, method) AS
        firn_encrypt_bytes(firn_bytes(value), passphrase, coalesce(firn_bytes(authenticated), ''::BLOB), method);

CREATE MACRO firn_decrypt
    (value, passphrase) AS firn_decrypt_bytes(value, passphrase, ''::BLOB, 'AES-GCM'),
    (value, passphrase, method) AS firn_decrypt_bytes(value, passphrase,
        CASE WHEN firn_is_encryption_method(method) THEN ''::BLOB ELSE coalesce(firn_bytes(method), ''::BLOB) END,
        CASE WHEN firn_is_encryption_method(method) THEN CAST(method AS VARCHAR) ELSE 'AES-GCM' END),
    (value, passphrase, authenticated, method) AS
        firn_decrypt_bytes(value, passphrase, coalesce(firn_bytes(authenticated), ''::BLOB), method);

CREATE MACRO firn_encrypt_raw
    (value, key, vector) AS firn_encrypt_with_key(value, key, coalesce(vector, ''::BLOB),
        CASE WHEN vector IS NULL THEN 1 ELSE 0 END, ''::BLOB, 'AES-GCM'),
    (value, key, vector, method) AS firn_encrypt_with_key(value, key, coalesce(vector, ''::BLOB),
        CASE WHEN vector IS NULL THEN 1 ELSE 0 END, ''::BLOB, method),
    (value, key, vector, authenticated, method) AS firn_encrypt_with_key(value, key, coalesce(vector, ''::BLOB),
        CASE WHEN vector IS NULL THEN 1 ELSE 0 END, coalesce(authenticated, ''::BLOB), method);

CREATE MACRO firn_decrypt_raw
    (value, key, vector) AS firn_decrypt_with_key(value, key, coalesce(vector, ''::BLOB), ''::BLOB, 'AES-GCM', ''::BLOB),
    (value, key, vector, tag) AS
        firn_decrypt_with_key(value, key, coalesce(vector, ''::BLOB), ''::BLOB, 'AES-GCM', coalesce(tag, ''::BLOB)),
    (value, key, vector, method, tag) AS
        firn_decrypt_with_key(value, key, coalesce(vector, ''::BLOB), ''::BLOB, method, coalesce(tag, ''::BLOB)),
    (value, key, vector, authenticated, method, tag) AS firn_decrypt_with_key(value, key, coalesce(vector, ''::BLOB),
        coalesce(authenticated, ''::BLOB), method, coalesce(tag, ''::BLOB));

CREATE MACRO firn_try_decrypt
    (value, passphrase) AS firn_try_decrypt_bytes(value, passphrase, ''::BLOB, 'AES-GCM'),
    (value, passphrase, method) AS firn_try_decrypt_bytes(value, passphrase,
        CASE WHEN firn_is_encryption_method(method) THEN ''::BLOB ELSE coalesce(firn_bytes(method), ''::BLOB) END,
        CASE WHEN firn_is_encryption_method(method) THEN CAST(method AS VARCHAR) ELSE 'AES-GCM' END),
    (value, passphrase, authenticated, method) AS
        firn_try_decrypt_bytes(value, passphrase, coalesce(firn_bytes(authenticated), ''::BLOB), method);

CREATE MACRO firn_try_decrypt_raw
    (value, key, vector) AS firn_try_decrypt_with_key(value, key, coalesce(vector, ''::BLOB), ''::BLOB, 'AES-GCM', ''::BLOB),
    (value, key, vector, tag) AS
        firn_try_decrypt_with_key(value, key, coalesce(vector, ''::BLOB), ''::BLOB, 'AES-GCM', coalesce(tag, ''::BLOB)),
    (value, key, vector, method, tag) AS
        firn_try_decrypt_with_key(value, key, coalesce(vector, ''::BLOB), ''::BLOB, method, coalesce(tag, ''::BLOB)),
    (value, key, vector, authenticated, method, tag) AS firn_try_decrypt_with_key(value, key, coalesce(vector, ''::BLOB),
        coalesce(authenticated, ''::BLOB), method, coalesce(tag, ''::BLOB));
