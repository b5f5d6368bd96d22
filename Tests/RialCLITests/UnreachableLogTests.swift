import ArgumentParser
import AsyncHTTPClient
import CaptureProtocol
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TransparencyLog

@testable import RialCLI

@Suite("Monitoring a log that cannot be read")
struct UnreachableLogTests {
    private static func log(_ size: Int, witnesses: Int = 0) throws -> PublishedLog {
        var log = try PublishedLog(witnesses: witnesses)
        log.add((1..<size).map { PublishedLog.leaf($0) })
        try log.publish()
        return log
    }

    /// The checkpoint of a log's first entries, or of a tree that is not its own.
    private static func note(_ size: Int, of log: PublishedLog, isOther: Bool = false) throws -> [UInt8] {
        var log = log
        log.cut(to: size)
        if isOther { log.replace(3, with: PublishedLog.leaf(9000)) }
        return try log.note().bytes
    }

    @Test(
        "a fork that a witness proves is reported, with both notes, while the log answers 503 for the tiles of the proof",
        arguments: [true, false])
    func witnessFork(canWrite: Bool) async throws {
        let sound = try Self.log(700, witnesses: 1)
        let other = try Self.note(300, of: sound, isOther: true)
        try await MonitorRig.with(sound, witnesses: [""]) { rig, server in
            try await rig.round()
            try sound.write(CheckpointSource.witness("").place(of: sound.key.verifier.name), other)
            server.record.answer(.serviceUnavailable, under: "/tile/")
            let policy = rig.state.appendingPathComponent("policy")
            let text = "log \(sound.key.verifier)\nwitness w1 \(sound.witnesses[0].verifier) \(server.prefix)\nquorum none\n"
            try Data(text.utf8).write(to: policy)
            if !canWrite {
                // A folder is in the way.
                let texts = try SignedNote(other).text + sound.note().text
                let name = "forked-\(ContentDigest(of: texts).hex.prefix(16)).1.note"
                try FileManager.default.createDirectory(
                    at: rig.state.appendingPathComponent(name), withIntermediateDirectories: false)
            }
            let command = try LogMonitor.parse([rig.prefix, "--policy", policy.path, "--state", rig.state.path, "--once"])
            await #expect(throws: ExitCode(1)) { try await command.run() }
            guard canWrite else { return }
            let names = try FileManager.default.contentsOfDirectory(atPath: rig.state.path)
            let kept = try names.filter { $0.hasPrefix("forked-") && $0.hasSuffix(".note") }
                .map { Array(try Data(contentsOf: rig.state.appendingPathComponent($0))) }
            let notes = [other, try sound.note().bytes]
            #expect(kept.count == 2 && Set(kept) == Set(notes))
        }
    }

    @Test("a log is not held to leaves that were damaged after they were read", arguments: [true, false])
    func damagedLeaves(isOpen: Bool) async throws {
        let sound = try Self.log(700, witnesses: 1)
        try await MonitorRig.with(sound, witnesses: [""]) { rig, server in
            try await rig.round()
            let monitoring = isOpen ? try rig.monitoring() : nil
            let file = try FileHandle(forUpdating: rig.state.appendingPathComponent("leaves"))
            // One bit of a commitment.
            let place = UInt64(LeafRecord.size * 100 + 40)
            try file.seek(toOffset: place)
            let byte = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: place)
            try file.write(contentsOf: [byte ^ 1])
            try file.close()
            try sound.write(CheckpointSource.witness("").place(of: sound.key.verifier.name), Self.note(300, of: sound))
            server.record.answer(.serviceUnavailable, under: "/tile/")
            await #expect(throws: CommandFailure.self) { try await (monitoring ?? rig.monitoring()).round(at: 1000) }
        }
    }

    /// What a log may answer that does not want its tiles to be read.
    private static let refusals = [HTTPResponse.Status.serviceUnavailable, .notFound]

    @Test("what cannot be compared keeps nothing else from being compared", arguments: [true, false], refusals)
    func others(isAhead: Bool, refusal: HTTPResponse.Status) async throws {
        let sound = try Self.log(700)
        let other = try Self.note(310, of: sound, isOther: true)
        try sound.write("first", Self.note(300, of: sound))
        try await MonitorRig.with(sound) { rig, server in
            try await rig.round()
            server.record.answer(refusal, under: "/tile/")
            let given = rig.asking(.address(rig.prefix + "first"), .address(rig.prefix + "second"))
            await #expect(throws: (any Error).self) { try await given.round() }
            if isAhead {
                // As they were kept before the log came up to them.
                var ahead = AheadTrees()
                for note in [try Self.note(305, of: sound), other] {
                    ahead.add(try SignedTree(note, source: "another place", policy: rig.policy, origin: nil), at: 1000)
                }
                try DurableFolder(rig.state.path).replace(AheadTrees.fileName, with: try ahead.bytes)
            } else {
                try sound.write("second", other)
            }
            #expect(try await given.defect()?.kind == .forked)
        }
    }

    @Test("a log that shows less than before has gone back, or forked, also while it answers 503 for its tiles", arguments: [true, false])
    func smaller(isFork: Bool) async throws {
        let sound = try Self.log(700)
        let kind: LogDefect.Kind = isFork ? .forked : .wentBack
        try await MonitorRig.with(sound) { rig, server in
            try await rig.round()
            try sound.write("checkpoint", Self.note(500, of: sound, isOther: isFork))
            server.record.answer(.serviceUnavailable, under: "/tile/")
            #expect(try await rig.defect()?.kind == kind)
        }
    }

    @Test("a log without a checkpoint has forked if others prove it, and otherwise lacks one")
    func noCheckpoint() async throws {
        let sound = try Self.log(700)
        try await MonitorRig.with(sound) { rig, server in
            let given = rig.asking(.file(sound.path("seen").path))
            try await given.round()
            try sound.write("seen", Self.note(300, of: sound))
            server.record.answer(.notFound)
            #expect(try await given.defect()?.kind == .missing)
            try sound.write("seen", Self.note(300, of: sound, isOther: true))
            #expect(try await given.defect()?.kind == .forked)
        }
    }

    @Test("a log that answers 503 for everything is behind nobody, and has forked if others prove it")
    func outage() async throws {
        let sound = try Self.log(700)
        try await MonitorRig.with(sound) { rig, server in
            let given = rig.asking(.file(sound.path("seen").path))
            try await given.round()
            var larger = sound
            larger.add((700..<710).map { PublishedLog.leaf($0) })
            try sound.write("seen", larger.note().bytes)
            server.record.answer(.serviceUnavailable)
            for now in [1000, 2000] {
                await #expect(throws: PublicFiles.Unreachable.self) { try await given.round(at: now) }
            }
            server.record.answer(nil)
            let defect = try await given.defect(at: 2001)
            #expect(defect == nil, "its patience begins when it is read again")
            try sound.write("seen", Self.note(300, of: sound, isOther: true))
            server.record.answer(.serviceUnavailable)
            #expect(try await given.defect(at: 2002)?.kind == .forked)
        }
    }

    @Test("two trees of one size are a fork while the log, which is smaller, answers 503 for everything", arguments: [true, false])
    func largerFork(isKnown: Bool) async throws {
        let sound = try Self.log(700)
        var larger = sound
        larger.add((700..<800).map { PublishedLog.leaf($0) })
        let notes = try [larger.note().bytes, Self.note(800, of: larger, isOther: true)]
        try await MonitorRig.with(sound) { rig, server in
            let given = rig.asking(.file(sound.path("first").path), .file(sound.path("second").path))
            try await given.round()
            try sound.write("first", notes[0])
            // One was seen before, or both are seen at once.
            if isKnown { try await given.round() }
            server.record.answer(.serviceUnavailable)
            await #expect(throws: PublicFiles.Unreachable.self) { try await given.round() }
            if isKnown { try FileManager.default.removeItem(at: sound.path("first")) }
            try sound.write("second", notes[1])
            let evidence = try await #require(throws: ForkEvidence.self) { try await given.round() }
            #expect(evidence.defect.kind == .forked)
            #expect([evidence.smaller.note.bytes, evidence.larger.note.bytes] == notes)
        }
    }

    @Test("a larger tree that one place shows is not held against a log that answers 503 for everything")
    func largerAlone() async throws {
        let sound = try Self.log(700)
        var larger = sound
        larger.add((700..<800).map { PublishedLog.leaf($0) })
        let note = try larger.note().bytes
        try await MonitorRig.with(sound) { rig, server in
            let monitoring = try rig.asking(.file(sound.path("seen").path)).monitoring()
            _ = try await monitoring.round(at: 1000)
            try sound.write("seen", note)
            server.record.answer(.serviceUnavailable)
            await #expect(throws: PublicFiles.Unreachable.self) { try await monitoring.round(at: 1000) }
            let isComplete = await monitoring.isComplete
            #expect(isComplete)
        }
    }

    @Test("a file that comes byte by byte cannot be read once the time for its head and body is over")
    func drip() async throws {
        let server = try DrippingServer()
        let client = PublicFiles.makeClient()
        let files = PublicFiles(client: client, deadline: .seconds(1))
        let problem = await error(PublicFiles.Unreachable.self) { _ = try await files.read(server.url.absoluteString) }
        try await client.shutdown()
        #expect(problem != nil)
        withExtendedLifetime(server) {}
    }
}
