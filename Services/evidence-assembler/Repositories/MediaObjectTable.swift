import CaptureProtocol
import Delivery
import Foundation
import Models
import Persistence

/// The named objects of captures, in one transaction. Only `evidence-assembler` writes them.
struct MediaObjectTable {
    private let connection: PostgresConnection

    init(_ connection: PostgresConnection) { self.connection = connection }

    /// Spelled as in the partial index.
    private static let pictures = MediaName.allCases.filter(\.isPicture).map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// Inserts the objects; existing names are not overwritten.
    nonisolated(nonsending) func insert(_ objects: [MediaName: StoredMedia], of capture: CaptureID) async throws {
        guard !objects.isEmpty else { return }
        var rows: SQL = ""
        for (index, (name, object)) in objects.sorted(by: { $0.key.rawValue < $1.key.rawValue }).enumerated() {
            rows += """
                \(unescaped: index == 0 ? "" : ", ")(\(capture.uuid), \(name.rawValue), \(object.key), \(object.sha256.bytes),
                \(object.sizeBytes), \(object.contentType),
                \(object.pixels.map { Int32($0.width) }), \(object.pixels.map { Int32($0.height) }))
                """
        }
        try await connection.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type, width, height)
            VALUES \(rows)
            ON CONFLICT (capture_id, name) DO NOTHING
            """)
    }

    /// Names another share card, also where there was none.
    nonisolated(nonsending) func replaceCard(_ card: StoredMedia, of capture: CaptureID) async throws {
        try await connection.query(
            """
            INSERT INTO media_objects (capture_id, name, object_key, sha256, size_bytes, content_type)
            VALUES (\(capture.uuid), \(MediaName.shareCard.rawValue), \(card.key), \(card.sha256.bytes), \(card.sizeBytes),
                \(card.contentType))
            ON CONFLICT (capture_id, name) DO UPDATE SET object_key = EXCLUDED.object_key, sha256 = EXCLUDED.sha256,
                size_bytes = EXCLUDED.size_bytes
            """)
    }

    /// Pictures of earlier versions without a size, after the given one, ordered by capture id and name.
    nonisolated(nonsending) func unmeasured(after last: UnmeasuredPicture?, limit: Int) async throws -> [UnmeasuredPicture] {
        try await connection.query(
            """
            SELECT capture_id, name, object_key, sha256, size_bytes, content_type FROM media_objects
            WHERE width IS NULL AND name IN (\(unescaped: Self.pictures))
                AND (capture_id, name) > (\(last?.capture.uuid ?? UUID.least), \(last?.name ?? ""))
            ORDER BY capture_id, name LIMIT \(limit)
            """
        ).compactMap { row in
            guard let object = try row.storedMedia() else { return nil }
            return UnmeasuredPicture(
                capture: CaptureID(try row.get("capture_id", as: UUID.self)), name: try row.get("name"), object: object)
        }
    }

    nonisolated(nonsending) func save(_ pixels: PixelSize, of picture: UnmeasuredPicture) async throws {
        try await connection.query(
            """
            UPDATE media_objects SET width = \(pixels.width), height = \(pixels.height)
            WHERE capture_id = \(picture.capture.uuid) AND name = \(picture.name) AND width IS NULL
            """)
    }
}
