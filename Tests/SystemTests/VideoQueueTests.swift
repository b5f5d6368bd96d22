import CaptureKit
import CaptureProtocol
import Foundation
import TestSupport
import Testing
import VideoChain

extension SystemTests {
    /// Videos that a simulated phone records into its store, through `rial video record --store` and `rial queue`, against the real
    /// services.
    @Suite("Videos of the device library")
    struct VideoQueue {
        @Test("is sealed while it is recorded, sent by the queue, and becomes HIGH")
        func whole() async throws {
            let phone = try await Phone()
            try await phone.record("--seconds", "3", "--size", "320x240")
            let listed = try #require(try await phone.videos().first)
            #expect(listed.state == "pending" && listed.has_assertion == true && listed.type == "video" && listed.is_partial == false)
            let sealed = try phone.everything()
            try await phone.run()
            try await phone.expectResults()
            let out = phone.folder.path + "/out"
            try await phone.rial("queue", "export", listed.id, "--out", out)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: out).sorted() == [
                    "assertion.cbor", "depth.gz", "hash-chain.json", "metadata.json", "video.mp4",
                ])
            for piece in try Self.plainPieces(of: out) {
                #expect(sealed.firstRange(of: piece) == nil, "\(String(decoding: piece, as: UTF8.self)) is plain")
            }
        }

        /// What the exported parts would show of themselves, too long to be in noise by chance.
        private static func plainPieces(of folder: String) throws -> [[UInt8]] {
            func part(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))) }
            let video = try part("video.mp4")
            var pieces = try ["ftyp", "moov", "avc1"].map { mark in
                let start = try #require(video.firstRange(of: Array(mark.utf8)), "\(mark)").lowerBound
                return Array(video[start...].prefix(16))
            }
            for bytes in [video, try part("depth.gz"), try part("hash-chain.json")] {
                pieces.append(Array(bytes[(bytes.count / 2)...].prefix(16)))
            }
            let model = try VideoMetadata.parse(try part("metadata.json"), isOriginalLayout: false).deviceModel
            pieces += ["frame_hashes", "video_hash", "device_model", model].map { Array($0.utf8) }
            pieces.append(Array(DepthData.header(width: 0, height: 0).prefix(8)))
            #expect(pieces.allSatisfy { $0.count >= 8 })
            return pieces
        }

        @Test("goes on where the upload broke off when connections are cut and the process that sends is killed")
        func resumed() async throws {
            let phone = try await Phone()
            // Lossless noise is large.
            try await phone.record("--seconds", "2", "--size", "320x240", "--depth-size", "64x48", "--quality", "0")
            #expect(try #require(try await phone.videos().first).bytes > 2 << 20)
            for point in ["queue.upload-kept", "queue.upload-answered"] {
                try phone.arm(point)
                await #expect(throws: LocalStack.CommandFailed.self) { try await phone.run() }
            }
            let cuts = try await Self.behindCuts(phone) { url in
                try await phone.rial("queue", "run", "--until-empty", "--idle-timeout", "10", "--url", url)
            }
            #expect(cuts > 0)
            let sent = try #require(try await phone.videos().first)
            #expect(sent.state == "uploaded" && (sent.resumed_at ?? 0) > 0)
            try await phone.expectOnceEach()
            try await Self.expectIntact(try #require(sent.capture_id), in: phone.stack)
        }

        @Test("is sent from a folder so that the next command goes on where an upload broke off")
        func resumedFolder() async throws {
            let phone = try await Phone()
            let settings = phone.stack.addresses.merging(["RIAL_DEVICE_STATE": phone.folder.path + "/device.json"]) { _, new in new }
            func video(_ arguments: String...) async throws -> String {
                try await LocalStack.run(Phone.program, ["video"] + arguments, settings)
            }
            let out = phone.folder.path + "/recording"
            _ = try await video(
                "record", "--scene", "room", "--seconds", "2", "--size", "320x240", "--depth-size", "64x48", "--quality", "0", "--out", out)
            // Killed while it sends, or whenever that is missed: the outcome is the same.
            let command = MortalCommand(program: Phone.program, arguments: ["video", "send", out, "--resumable"], settings: settings)
            _ = try await command.run(killedAfter: .milliseconds(300))
            let cuts = try await Self.behindCuts(phone) { url in
                let output = try await video("send", out, "--resumable", "--url", url)
                let id = try #require(output.split(separator: "\n").first { $0.hasPrefix("capture ") }).dropFirst("capture ".count)
                try await Self.expectIntact(String(id), in: phone.stack)
            }
            print("\(cuts) cuts")
            #expect(!FileManager.default.fileExists(atPath: out + "/upload.json"))
        }

        /// Does something at the address of a gateway whose connections are cut.
        /// - Returns: the number of cuts.
        private static func behindCuts(_ phone: Phone, _ body: (_ url: String) async throws -> Void) async throws -> Int {
            let gateways = GatewaysInTurn(stack: phone.stack, numbers: [6, 7])
            let proxy = try CuttingProxy(seed: 1, lengths: 400_000...900_000, to: { gateways.next() }) { _ in }
            let url = "http://127.0.0.1:\(proxy.port)"
            try await gateways.start(publicURL: url)
            try await body(url)
            try await gateways.stop()
            return proxy.cuts
        }

        private static func expectIntact(_ id: String, in stack: LocalStack) async throws {
            try await eventually(within: .seconds(120), "the video \(id) is complete") {
                try await stack.sql("SELECT status FROM captures WHERE id = '\(id)'") == ["complete"]
            }
            #expect(try await stack.sql("SELECT evidence #>> '{hash_chain,status}' FROM captures WHERE id = '\(id)'") == ["pass"])
        }

        @Test(
            "verifies exactly what the last signed checkpoint covers, wherever a recording was killed",
            .timeLimit(.minutes(15)))
        func killed() async throws {
            let rounds = FaultTests.isFull ? 50 : 6
            var random = SeededGenerator(seed: SeededGenerator.seed(for: "recordings that are killed"))
            var captures: [Killed] = []
            // The server takes so many videos of one device.
            for start in stride(from: 0, to: rounds, by: 25) {
                let phone = try await Phone()
                captures += try await Self.killed(on: phone, rounds: min(25, rounds - start), using: &random)
            }
            #expect(captures.count >= rounds * 3 / 4, "nearly all have a picture")
            #expect(captures.contains { $0.signed > 0 } && captures.contains { $0.frames > $0.verified })
            for capture in captures { try await Self.expectVerified(capture) }
        }

        /// A recording that was killed, as its phone has it.
        private struct Killed {
            let serverID: String
            let frames: Int
            let signed: Int
            /// Frames of its last signed checkpoint.
            let verified: Int
            let stack: LocalStack
        }

        /// Every fourth is ended by kill -9, the others in the middle of a picture.
        private static func killed(
            on phone: Phone, rounds: Int, using random: inout SeededGenerator
        ) async throws -> [Killed] {
            // Registers the phone, and shows how long a second takes.
            let start = ContinuousClock.now
            try await phone.record("--seconds", "3")
            let usual = ContinuousClock.now - start
            for round in 1...rounds {
                let at = Double.random(in: 0.5...14.5, using: &random)
                if round.isMultiple(of: 4) {
                    let command = MortalCommand(
                        program: Phone.program, arguments: Phone.recording + ["--seconds", "15", "--store", phone.folder.path + "/phone"],
                        settings: phone.stack.addresses)
                    _ = try await command.run(killedAfter: usual * (at / 3))
                } else {
                    try await phone.record("--kill-at", "\(at)")
                }
            }
            try await phone.run()
            let listed = try await phone.videos()
            #expect(listed.allSatisfy { $0.state == "uploaded" }, "\(listed)")
            try await phone.expectOnceEach()
            let store = try await phone.store()
            defer { try? store.close() }
            return try listed.filter { $0.is_partial == true }.map { video in
                #expect(video.has_assertion == false, "nothing was signed afterwards")
                let id = try #require(LocalID(video.id))
                guard case .chain(let chain) = try SubmittedHashChain.parse(store.bytes(.hashChain, of: id)) else {
                    throw CocoaError(.coderInvalidValue)
                }
                let signed = chain.checkpoints.filter { $0.assertion != nil }
                #expect(signed.count == video.signed_checkpoints)
                // Whatever is 2 s behind a checkpoint has it: encoders and signatures are not that late.
                #expect(signed.count >= min(2, max(0, chain.frameHashes.count - 60) / 150), "\(chain.frameHashes.count) frames")
                return Killed(
                    serverID: try #require(video.capture_id), frames: chain.frameHashes.count, signed: signed.count,
                    verified: signed.last?.frames ?? 0, stack: phone.stack)
            }
        }

        private static func expectVerified(_ capture: Killed) async throws {
            try await eventually(within: .seconds(300), "the video \(capture.serverID) is complete") {
                try await capture.stack.sql("SELECT status FROM captures WHERE id = '\(capture.serverID)'") == ["complete"]
            }
            let row = try await capture.stack.sql(
                """
                SELECT concat_ws(' ', evidence #>> '{hash_chain,status}', evidence #>> '{hash_chain,reason}',
                    evidence #>> '{hash_chain,verified_frames}', evidence #>> '{hash_chain,total_frames}',
                    evidence #>> '{hash_chain,chain_intact}')
                FROM captures WHERE id = '\(capture.serverID)'
                """)
            let reason = capture.signed > 0 ? "partial" : "unsigned"
            #expect(row == ["inconclusive \(reason) \(capture.verified) \(capture.frames) true"])
            let level = try await capture.stack.sql("SELECT confidence_level FROM captures WHERE id = '\(capture.serverID)'")
            #expect(level == ["medium"] || capture.signed == 0 && level == ["low"])
        }
    }
}

extension Phone {
    /// A video as the phone lists it.
    struct ListedVideo: Decodable {
        let id: String
        let type: String
        let mode: String
        let state: String
        let bytes: Int
        let capture_id: String?
        let has_assertion: Bool
        let is_partial: Bool?
        let signed_checkpoints: Int?
        let resumed_at: Int?
    }

    /// The command that records a small video, without the store.
    static var recording: [String] { ["video", "record", "--scene", "room", "--size", "64x48", "--depth-size", "64x48"] }

    func record(_ more: String...) async throws {
        let arguments = more.contains("--size") ? ["video", "record", "--scene", "room"] : Self.recording
        _ = try await LocalStack.run(Self.program, arguments + more + ["--store", folder.path + "/phone"], stack.addresses)
    }

    func videos() async throws -> [ListedVideo] {
        try JSONDecoder().decode([ListedVideo].self, from: Data(try await rial("queue", "list", "--json").utf8))
    }
}
