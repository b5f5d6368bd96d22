import Foundation
import TestSupport
import Testing
import TransparencyLog

@testable import ObjectStorage

/// How a witness is away.
struct Absence: Sendable, CustomTestStringConvertible {
    /// Stopped in the middle, rather than ended: its connections stay open.
    let hangs: Bool
    /// How many captures are sent meanwhile. A witness that failed three times is asked aside from then on, once a minute.
    let captures: Int

    var testDescription: String { "a witness \(hangs ? "hangs" : "is away") for \(captures) captures" }

    static let chosen =
        [Absence(hangs: true, captures: 1), Absence(hangs: false, captures: 1)]
        + (FaultTests.isFull ? [Absence(hangs: true, captures: 4), Absence(hangs: false, captures: 4)] : [])

    /// Runs `work` while it lasts.
    func of<Result>(_ witness: String, in stack: LocalStack, _ work: () async throws -> Result) async throws -> Result {
        if hangs { return try await stack.asleep(witness, work) }
        return try await stack.without([witness], work)
    }
}

extension LogTests {
    @Suite("A log whose witness does not answer", .timeLimit(.minutes(8)))
    struct Witnesses {
        @Test("keeps its pace, has no bundle as long as there is no quorum, and one that verifies once there is", arguments: Absence.chosen)
        func away(_ absence: Absence) async throws {
            let stack = try LocalStack.required()
            let client = try TestClient.current()
            let ids = try await absence.of("witness-1", in: stack) {
                var device = try await client.device()
                var ids: [String] = []
                for _ in 0..<absence.captures {
                    let id = try await FaultCapture(&device).accepted().id
                    _ = try await client.settled(id)
                    try await eventually(within: .seconds(30), "its leaf is in a published tree") {
                        (try await client.show(id).data["log"] as? [String: Any])?["status"] as? String == "logged"
                    }
                    ids.append(id)
                }
                for id in ids {
                    let answer = try await client.answer(forBundleOf: id)
                    let error = answer.json["error"] as? [String: Any]
                    #expect(answer.status == 409 && answer.errorCode == "NOT_LOGGED_YET" && answer.headers["retry-after"] != nil)
                    #expect((error?["details"] as? [String: Any])?["reason"] as? String == "unwitnessed", "\(answer.text)")
                }
                return ids
            }
            // A minute and more, if it is asked aside.
            for id in ids {
                try await eventually(within: .seconds(120), "there is a bundle") { try await client.answer(forBundleOf: id).status == 200 }
            }
            for id in ids { try await stack.expectProved(id) }
        }
    }

    @Suite("A log whose files are changed in the store", .timeLimit(.minutes(5)))
    struct Changes {
        @Test("is found out by the monitor, in one line, and sound again once they are put back")
        func changed() async throws {
            let stack = try LocalStack.required()
            let watch = try LogWatch(stack)
            let store = try stack.storage()
            // The one would put it back by itself, the other end.
            try await stack.without(["transparency-log", "monitor"]) {
                let size = try #require(try await stack.sql("SELECT published_size FROM log_shards").first.flatMap { UInt64($0) })
                for (kind, finding) in [(Tile.Kind.hashes(level: 0), "tile changed: "), (.entries, "entry changed: ")] {
                    let tile = try #require(Tile.at(kind, index: 0, size: size))
                    let sound = try await store.getBytes(watch.folder + tile.path, limit: 1 << 20)
                    var changed = sound
                    changed[7] ^= 1
                    try await store.put(watch.folder + tile.path, bytes: changed, contentType: "application/octet-stream")
                    let found = try await watch.firstLook()
                    #expect(found.status == 1 && found.output.hasPrefix(finding), "\(found.output)")
                    #expect(found.output.split(separator: "\n").count == 1, "\(found.output)")
                    try await store.put(watch.folder + tile.path, bytes: sound, contentType: "application/octet-stream")
                    let mended = try await watch.firstLook()
                    #expect(mended.status == 0, "\(mended.output)")
                }
            }
        }
    }
}

extension LogWatch {
    /// A look of a monitor that has seen nothing before.
    fileprivate func firstLook() async throws -> MortalCommand.End {
        try await monitor(state: stack.failPoints.appendingPathComponent(UUID().uuidString).path)
    }
}

extension TestClient {
    fileprivate func answer(forBundleOf id: String) async throws -> Answer { try await send("GET", "\(Self.captures)/\(id)/bundle") }
}
