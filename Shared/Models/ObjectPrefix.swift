public import CaptureProtocol
public import Foundation

/// What the keys of objects that belong together begin with (SPEC §5).
public enum ObjectPrefix {
    /// The objects of a capture, uploaded and derived.
    public static func capture(_ id: CaptureID) -> String { "captures/\(id)/" }

    /// The segments of a resumable upload. Under the id of a capture: what an earlier version stored before it was complete.
    public static func incoming(_ id: UUID) -> String { "incoming/\(id.uuidString.lowercased())/" }

    /// The tiles, entry bundles, heads and checkpoint of a shard of the log.
    public static func log(shard: String) -> String { "log/\(shard)/" }

    /// The whole key of the checkpoint of a shard of the log.
    public static func checkpoint(shard: String) -> String { log(shard: shard) + "checkpoint" }

    /// What services write to learn whether the bucket can be used.
    public static let probes = "probes/"
}
