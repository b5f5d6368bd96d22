import CaptureProtocol
import Foundation
import Persistence

/// How a row of `uploads` is closed.
enum UploadEnding {
    /// How long a word on an upload that has ended is kept, and so is the answer of one that became a capture.
    static let kept: SQL = "interval '7 days'"

    /// What is set when an upload ends and becomes nothing: no request adds to it from then on.
    static let changes: SQL = "state = 'ended', epoch = epoch + 1, runner = NULL, running_since = NULL"

    /// Closes an open upload, and gives a row if it was open.
    static func statement(_ upload: UUID) -> SQL { statement(where: "id = \(upload)") }

    /// Closes the open uploads of a device with this body, but for one that a request is completing.
    static func statement(of body: ContentDigest, by device: DeviceID) -> SQL {
        statement(where: "device_id = \(device.uuid) AND body_sha256 = \(body.bytes) AND (received_at IS NULL OR runner IS NULL)")
    }

    /// Closes an open upload that became a capture, or was found to be one.
    static func statement(_ upload: UUID, became answer: UploadAnswer) throws -> SQL {
        """
        UPDATE uploads SET state = 'done', capture_id = \(answer.capture.captureID.uuid), answer = \(try PostgresJSON(encoding: answer)),
            runner = NULL, running_since = NULL, expires_at = now() + \(kept)
        WHERE id = \(upload) AND state = 'open'
        """
    }

    /// An upload whose epoch was 0 never belonged to a request that adds to it, and none will: no object of it exists, and nothing is left
    /// for upload-sync to find by its row in `intakes`.
    private static func statement(where isMeant: SQL) -> SQL {
        """
        WITH closed AS (
            UPDATE uploads SET \(changes), expires_at = now() + \(kept) WHERE \(isMeant) AND state = 'open' RETURNING id, epoch
        ), forgotten AS (DELETE FROM intakes WHERE id IN (SELECT id FROM closed WHERE epoch = 1))
        SELECT id FROM closed
        """
    }
}
