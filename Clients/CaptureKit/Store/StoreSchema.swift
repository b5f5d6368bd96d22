import GRDB

/// The tables of the store. Columns hold ids, states, counters and sizes only: the database is not encrypted, so all else is sealed.
enum StoreSchema {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 captures") { database in
            let states = CaptureState.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
            try database.execute(
                sql: """
                    CREATE TABLE captures (
                        position INTEGER PRIMARY KEY AUTOINCREMENT,
                        id TEXT NOT NULL UNIQUE,
                        job TEXT NOT NULL,
                        state TEXT NOT NULL CHECK (state IN (\(states))),
                        device TEXT,
                        server_id TEXT,
                        failures INTEGER NOT NULL DEFAULT 0,
                        assertion_attempts INTEGER NOT NULL DEFAULT 0,
                        photo_bytes INTEGER,
                        depth_bytes INTEGER,
                        metadata_bytes INTEGER,
                        assertion_bytes INTEGER,
                        thumbnail_bytes INTEGER,
                        facts BLOB NOT NULL,
                        CHECK ((state = 'uploaded') = (server_id IS NOT NULL))
                    );
                    CREATE INDEX captures_to_send ON captures (state, position);
                    CREATE TABLE lent_bodies (
                        name TEXT PRIMARY KEY,
                        capture TEXT NOT NULL
                    );
                    """)
        }
        migrator.registerMigration("2 privacy mode") { database in
            // Photos and depth maps that stay on the device are other files than those that are sent, hence other columns.
            try database.execute(
                sql: """
                    ALTER TABLE captures ADD COLUMN payload_bytes INTEGER;
                    ALTER TABLE captures ADD COLUMN original_bytes INTEGER;
                    ALTER TABLE captures ADD COLUMN original_depth_bytes INTEGER;
                    """)
        }
        migrator.registerMigration("3 videos") { database in
            try database.execute(
                sql: """
                    ALTER TABLE captures ADD COLUMN video_bytes INTEGER;
                    ALTER TABLE captures ADD COLUMN hash_chain_bytes INTEGER;
                    """)
        }
        migrator.registerMigration("4 videos in privacy mode") { database in
            // An earlier version does not open such a store: it would take what was recorded to be kept for what is to be sent.
            try database.execute(
                sql: """
                    ALTER TABLE captures ADD COLUMN original_hash_chain_bytes INTEGER;
                    ALTER TABLE captures ADD COLUMN original_metadata_bytes INTEGER;
                    """)
        }
        return migrator
    }

    /// The column with the size of a sealed file.
    static func column(of kind: SealedKind) -> String? {
        switch kind {
        case .photo: "photo_bytes"
        case .depth: "depth_bytes"
        case .metadata: "metadata_bytes"
        case .assertion: "assertion_bytes"
        case .thumbnail: "thumbnail_bytes"
        case .payload: "payload_bytes"
        case .original: "original_bytes"
        case .originalDepth: "original_depth_bytes"
        case .originalHashChain: "original_hash_chain_bytes"
        case .originalMetadata: "original_metadata_bytes"
        case .video: "video_bytes"
        case .hashChain: "hash_chain_bytes"
        case .facts, .recording: nil
        }
    }
}
