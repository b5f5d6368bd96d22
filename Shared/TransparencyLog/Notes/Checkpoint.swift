public import CaptureProtocol

/// Text of a note in which a log says how large its tree is and what its root is (c2sp.org/tlog-checkpoint).
public struct Checkpoint: Hashable, Sendable {
    /// Identifies the log.
    public let origin: TextLine
    public let head: TreeHead
    /// Opaque lines that the log signs too; ours has none.
    public let extensions: [TextLine]

    public var size: UInt64 { head.size }
    public var root: ContentDigest { head.root }

    public init(origin: TextLine, head: TreeHead, extensions: [TextLine] = []) {
        self.origin = origin
        self.head = head
        self.extensions = extensions
    }

    /// Reads the text of a note.
    /// - Throws: ``TransparencyLogError/Code/malformedCheckpoint``.
    public init(text: [UInt8]) throws(TransparencyLogError) {
        var reader = LineReader(text)
        guard text.count <= SignedNote.maximumBytes, let origin = reader.next().flatMap({ TextLine(bytes: $0) }),
            let size = reader.next().flatMap({ UInt64(decimal: $0) }), let root = reader.next().flatMap({ ContentDigest(base64Line: $0) })
        else { throw TransparencyLogError(.malformedCheckpoint, "is not an origin, a size and a root of 32 bytes") }
        var extensions: [TextLine] = []
        while let line = reader.next() {
            guard let line = TextLine(bytes: line) else { throw TransparencyLogError(.malformedCheckpoint, "has an empty line") }
            extensions.append(line)
        }
        guard reader.rest.isEmpty else { throw TransparencyLogError(.malformedCheckpoint, "does not end in LF") }
        self.init(origin: origin, head: TreeHead(size: size, root: root), extensions: extensions)
    }

    /// The signed text; ends in LF.
    public var text: [UInt8] {
        ([origin.bytes, Array("\(size)".utf8), Array(root.base64.utf8)] + extensions.map(\.bytes)).flatMap { $0 + [0x0a] }
    }
}
