import CaptureProtocol
import Foundation
import TransparencyLog

/// What a monitor has verified, as it is stored between its rounds.
struct MonitorState: Sendable {
    /// Entries that were read; fewer than the checkpoint has only while a long log is read for the first time.
    var edge: TileEdge
    /// The largest tree that was seen, with which the edge is consistent.
    var tree: SignedTree
    /// When all entries and tiles were read again last, POSIX seconds.
    var rehashedAt: Int

    static let fileName = "state.json"
    static let maximumBytes = 4 << 20

    private struct Stored: Codable {
        var version = 1
        let size: UInt64
        let edge: [ContentDigest]
        let checkpoint: String
        let rehashedAt: Int
    }

    init(edge: TileEdge, tree: SignedTree, rehashedAt: Int) {
        self.edge = edge
        self.tree = tree
        self.rehashedAt = rehashedAt
    }

    /// - Throws: ``CommandFailure`` if it is not the state of a log of this policy.
    init(_ bytes: [UInt8], policy: TrustPolicy) throws {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(bytes)), stored.version == 1 else {
            throw Self.damaged(Self.fileName)
        }
        do { tree = try SignedTree(Array(stored.checkpoint.utf8), source: "the state", policy: policy, origin: nil) } catch {
            throw CommandFailure("The policy does not trust the log that the state folder follows.")
        }
        var rest = stored.edge[...]
        do {
            edge = try TileEdge(size: stored.size) { tile in
                defer { rest = rest.dropFirst(tile.width) }
                return Array(rest.prefix(tile.width))
            }
        } catch {
            throw Self.damaged(Self.fileName)
        }
        guard rest.isEmpty, edge.size < tree.size || edge.frontier.head == tree.head else { throw Self.damaged(Self.fileName) }
        rehashedAt = stored.rehashedAt
    }

    /// - Parameter file: of the state folder.
    static func damaged(_ file: String) -> CommandFailure {
        CommandFailure(
            "\(file) is damaged: move the state folder away, which still has what the log has shown, and follow the log from its beginning."
        )
    }

    var bytes: [UInt8] {
        get throws {
            let stored = Stored(
                size: edge.size, edge: edge.partialTiles.flatMap(\.hashes), checkpoint: String(decoding: tree.note.bytes, as: UTF8.self),
                rehashedAt: rehashedAt)
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys]
            return Array(try encoder.encode(stored))
        }
    }
}
