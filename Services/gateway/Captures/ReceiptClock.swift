import Foundation

/// Compares the database's clock, by which captures are received, with a gateway's own.
///
/// If the database's is wrong, a genuine capture may look as if it was made after its receipt, for good. It is better sent again later.
enum ReceiptClock {
    /// Half of what a capture's time may lie after its receipt (SPEC §3).
    static let tolerance: TimeInterval = 60

    /// - Throws: ``CaptureError/clocksDiffer``.
    static func compare(_ database: Date, with gateway: Date) throws(CaptureError) {
        guard abs(database.timeIntervalSince(gateway)) <= tolerance else { throw .clocksDiffer }
    }
}
