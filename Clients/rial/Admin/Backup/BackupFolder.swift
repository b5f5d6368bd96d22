import CaptureProtocol
import Foundation

/// A folder of the bucket that belongs to one capture or one upload, by the common prefix of its keys (SPEC §5).
struct BackupFolder: Hashable, Comparable, CustomStringConvertible {
    enum Kind: String, CaseIterable {
        /// The folder of a capture, also while its first bytes arrive.
        case captures
        /// The folder of an upload that can be resumed, or of a capture that an earlier version has received.
        case incoming
    }

    let kind: Kind
    let id: UUID

    init(_ kind: Kind, _ id: UUID) {
        self.kind = kind
        self.id = id
    }

    /// Reads an object's key; `nil` if the object is in no such folder.
    init?(key: String) {
        let parts = key.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[2].isEmpty, let kind = Kind(rawValue: String(parts[0])), let id = UUID(uuidString: String(parts[1]))
        else { return nil }
        self.init(kind, id)
        // No service writes an id otherwise.
        guard key.hasPrefix(prefix) else { return nil }
    }

    /// The prefix of all its keys, with a slash at the end.
    var prefix: String { "\(kind.rawValue)/\(idText)/" }
    var idText: String { id.uuidString.lowercased() }
    var description: String { "\(kind.rawValue)/\(idText)" }

    /// The order of the prefixes' bytes, in which the store lists them.
    static func < (left: BackupFolder, right: BackupFolder) -> Bool { left.prefix.utf8.lexicographicallyPrecedes(right.prefix.utf8) }
}
