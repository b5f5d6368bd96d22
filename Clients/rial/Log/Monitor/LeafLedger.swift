import CaptureProtocol
import Foundation
import TransparencyLog

/// The records of all leaves that a monitor has read, in a file, and a fingerprint of each commitment in memory: eight bytes an entry.
final class LeafLedger {
    private static let recordsAtOnce = 16_384
    private let path: String
    private let handle: FileHandle
    private var durable: UInt64
    private var fresh: [LeafRecord] = []
    /// Fingerprints that came with them.
    private var freshFingerprints: [Int] = []
    private var fingerprints: Set<Int> = []

    var size: UInt64 { durable + UInt64(fresh.count) }

    /// Opens the file, without what was written after the last state was saved.
    /// - Parameter head: of the tree that the state has.
    /// - Throws: ``CommandFailure`` if there are fewer leaves, or others.
    init(_ path: String, head: TreeHead) throws {
        self.path = path
        let size = head.size
        durable = size
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("\(path) cannot be opened.") }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            let length = try handle.seekToEnd()
            guard size <= length / UInt64(LeafRecord.size) else { throw CommandFailure("\(path) has fewer leaves than the state says.") }
            try handle.truncate(atOffset: size * UInt64(LeafRecord.size))
            fingerprints.reserveCapacity(Int(clamping: size))
            var frontier = MerkleFrontier()
            try forEach { _, record in
                fingerprints.insert(Self.fingerprint(record))
                if let hash = record.leafHash { frontier.append(hash) }
            }
            guard frontier.head == head else { throw damaged }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("\(path) cannot be read.")
        }
    }

    /// It does not hold what was read of the log.
    var damaged: CommandFailure { MonitorState.damaged(path) }

    /// Adds the next leaf; ``save()`` makes it durable.
    /// - Throws: ``LogDefect`` if its commitment was there before.
    func add(_ leaf: LogLeaf) throws {
        let record = LeafRecord(leaf)
        let fingerprint = Self.fingerprint(record)
        if fingerprints.insert(fingerprint).inserted {
            freshFingerprints.append(fingerprint)
        } else if case .entry = record.kind, let first = try index(of: record) {
            throw LogDefect(.duplicate, "entry \(size) has the commitment of entry \(first)")
        }
        fresh.append(record)
    }

    /// Forgets what was added since the last ``save()``.
    func discard() {
        fingerprints.subtract(freshFingerprints)
        (fresh, freshFingerprints) = ([], [])
    }

    func save() throws {
        do {
            try handle.seek(toOffset: durable * UInt64(LeafRecord.size))
            try handle.write(contentsOf: Data(fresh.flatMap(\.bytes)))
            try handle.synchronize()
        } catch {
            throw CommandFailure("\(path) cannot be written.")
        }
        durable += UInt64(fresh.count)
        (fresh, freshFingerprints) = ([], [])
    }

    /// - Returns: `nil` if there is no such leaf.
    func record(at index: UInt64) throws -> LeafRecord? {
        if index >= durable { return index < size ? fresh[Int(index - durable)] : nil }
        try handle.seek(toOffset: index * UInt64(LeafRecord.size))
        return try handle.read(upToCount: LeafRecord.size).flatMap { LeafRecord($0) }
    }

    /// All leaves of a capture, with their indexes.
    func records(of subject: LogSubject) throws -> [(index: UInt64, record: LeafRecord)] {
        var found: [(UInt64, LeafRecord)] = []
        try forEach { index, record in
            if case .entry = record.kind, record.subject == subject.bytes { found.append((index, record)) }
        }
        return found
    }

    /// The root of a complete subtree of the leaves.
    func root(of node: TreeNode) throws -> ContentDigest {
        var frontier = MerkleFrontier()
        let first = node.index << UInt64(node.level)
        try forEach(from: first, to: first + 1 << UInt64(node.level)) { _, record in
            if let hash = record.leafHash { frontier.append(hash) }
        }
        return frontier.root
    }

    private func index(of sought: LeafRecord) throws -> UInt64? {
        var first: UInt64?
        try forEach { index, record in
            if first == nil, case .entry = record.kind, record.commitment == sought.commitment { first = index }
        }
        return first
    }

    /// In order, some thousand at a time.
    /// - Parameter end: exclusive; `nil` for the last one's.
    private func forEach(from start: UInt64 = 0, to end: UInt64? = nil, _ body: (UInt64, LeafRecord) -> Void) throws {
        let end = min(end ?? size, size)
        guard start < end else { return }
        if start < durable { try handle.seek(toOffset: start * UInt64(LeafRecord.size)) }
        var index = start
        while index < min(end, durable) {
            let count = Int(min(UInt64(Self.recordsAtOnce), min(end, durable) - index))
            guard let data = try handle.read(upToCount: count * LeafRecord.size), data.count == count * LeafRecord.size else {
                throw CommandFailure("\(path) is shorter than it was.")
            }
            let bytes = Array(data)
            for offset in stride(from: 0, to: bytes.count, by: LeafRecord.size) {
                guard let record = LeafRecord(bytes[offset..<offset + LeafRecord.size]) else { throw damaged }
                body(index, record)
                index += 1
            }
        }
        while index < end {
            body(index, fresh[Int(index - durable)])
            index += 1
        }
    }

    /// Seeded anew in each process: a log chooses its commitments, and could make any two alike that are shortened in a known way.
    private static func fingerprint(_ record: LeafRecord) -> Int {
        var hasher = Hasher()
        hasher.combine(record.commitment)
        return hasher.finalize()
    }
}
