-- The tags of objects that no database holds, and of databases, stages, functions and the like by their ids. Those of schemas,
-- tables, views and columns are in the records of these.
CREATE TABLE tag_assignments (
    kind         TEXT NOT NULL,
    database_id  INTEGER NOT NULL,
    object       TEXT NOT NULL,
    tag_database INTEGER NOT NULL,
    tag_id       INTEGER NOT NULL,
    value        TEXT NOT NULL,
    PRIMARY KEY (kind, database_id, object, tag_database, tag_id)
) WITHOUT ROWID;

CREATE TRIGGER untag_warehouse AFTER DELETE ON warehouses BEGIN
    DELETE FROM tag_assignments WHERE kind = 'WAREHOUSE' AND object = OLD.name;
END;
CREATE TRIGGER tags_follow_warehouse AFTER UPDATE OF name ON warehouses BEGIN
    UPDATE tag_assignments SET object = NEW.name WHERE kind = 'WAREHOUSE' AND object = OLD.name;
END;
CREATE TRIGGER untag_role AFTER DELETE ON roles BEGIN
    DELETE FROM tag_assignments WHERE kind = 'ROLE' AND object = OLD.name;
END;
CREATE TRIGGER tags_follow_role AFTER UPDATE OF name ON roles BEGIN
    UPDATE tag_assignments SET object = NEW.name WHERE kind = 'ROLE' AND object = OLD.name;
END;
CREATE TRIGGER untag_database_role AFTER DELETE ON database_roles BEGIN
    DELETE FROM tag_assignments WHERE kind = 'DATABASE_ROLE' AND database_id = OLD.database_id AND object = OLD.name;
END;
CREATE TRIGGER tags_follow_database_role AFTER UPDATE OF name ON database_roles BEGIN
    UPDATE tag_assignments SET object = NEW.name
    WHERE kind = 'DATABASE_ROLE' AND database_id = OLD.database_id AND object = OLD.name;
END;
CREATE TRIGGER untag_user AFTER DELETE ON users BEGIN
    DELETE FROM tag_assignments WHERE kind = 'USER' AND object = CAST(OLD.id AS TEXT);
END;
CREATE TRIGGER untag_integration AFTER DELETE ON integrations BEGIN
    DELETE FROM tag_assignments WHERE kind = 'INTEGRATION' AND object = OLD.name;
END;
CREATE TRIGGER untag_network_policy AFTER DELETE ON network_policies BEGIN
    DELETE FROM tag_assignments WHERE kind = 'NETWORK_POLICY' AND object = OLD.name;
END;
CREATE TRIGGER tags_follow_network_policy AFTER UPDATE OF name ON network_policies BEGIN
    UPDATE tag_assignments SET object = NEW.name WHERE kind = 'NETWORK_POLICY' AND object = OLD.name;
END;
