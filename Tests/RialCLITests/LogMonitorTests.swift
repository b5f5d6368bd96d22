import CaptureProtocol
import Foundation
import HTTPTypes
import Testing
import TransparencyLog

@testable import RialCLI

@Suite("Monitoring a log")
struct LogMonitorTests {
    private static let sizes = [1, 2, 255, 256, 257, 700, 66_000]

    private static func log(_ size: Int, witnesses: Int = 0) throws -> PublishedLog {
        var log = try PublishedLog(witnesses: witnesses)
        log.add((1..<max(1, size)).map { PublishedLog.leaf($0) })
        try log.publish()
        return log
    }

    @Test("a sound log is silent, from any size to any other, and over restarts", arguments: sizes)
    func sound(size: Int) async throws {
        let first = try Self.log(size)
        try await MonitorRig.with(first) { rig, server in
            #expect(try await rig.round().tree.head == first.head)
            var log = first
            for more in [0, 1, 255, 256, 300] {
                let old = log.size
                log.add((0..<more).map { PublishedLog.leaf(Int(old) + $0) })
                try log.publish(from: old)
                server.record.clear()
                let report = try await rig.round()
                #expect(report.tree.head == log.head && report.unread.isEmpty)
                // Incremental: what was full before is not read again.
                let bundles = server.record.requests.filter { $0.hasPrefix("/tile/entries/") }
                #expect(bundles.count <= more / 256 + 2)
            }
            #expect(try await rig.defect(at: 1000 + 86_401) == nil)
        }
    }

    @Test("a partial tile that the log has swept is read from the full one")
    func swept() async throws {
        let small = try Self.log(300)
        try await MonitorRig.with(small) { rig, _ in
            try await rig.round()
            var log = small
            log.add((300..<600).map { PublishedLog.leaf($0) })
            try log.publish(from: 300)
            for name in ["tile/0/001.p", "tile/entries/001.p"] { try FileManager.default.removeItem(at: log.path(name)) }
            // A checkpoint of before, given by someone else.
            try log.write("old", small.note().bytes)
            #expect(try await rig.asking(.address(rig.prefix + "old")).defect() == nil)
        }
    }

    @Test("a defect in a log that was not seen before is found", arguments: Defect.allCases)
    func defects(defect: Defect) async throws {
        let log = try defect.made(of: Self.log(700))
        try await MonitorRig.with(log) { rig, _ in
            let found = try await rig.defect()
            #expect(found?.kind == defect.kind)
        }
    }

    @Test("a defect in what comes on top is found", arguments: Defect.allCases)
    func laterDefects(defect: Defect) async throws {
        let sound = try Self.log(300)
        try await MonitorRig.with(sound) { rig, _ in
            #expect(try await rig.defect() == nil)
            var log = sound
            log.add((300..<700).map { PublishedLog.leaf($0) })
            try log.publish(from: 300)
            _ = try defect.made(of: log)
            #expect(try await rig.defect()?.kind == defect.kind)
        }
    }

    @Test("a change of what was verified before is found when everything is read again", arguments: Defect.ofStoredBytes)
    func changedLater(defect: Defect) async throws {
        let log = try Self.log(700)
        try await MonitorRig.with(log) { rig, _ in
            #expect(try await rig.defect() == nil)
            _ = try defect.made(of: log)
            #expect(try await rig.defect(at: 1060) == nil)
            #expect(try await rig.defect(at: 1000 + 86_400)?.kind == defect.kind)
        }
    }

    @Test("all is read again as well if the clock was set back")
    func rereadAfterClock() async throws {
        let log = try Self.log(700)
        try await MonitorRig.with(log) { rig, _ in
            #expect(try await rig.defect(at: 1_000_000) == nil)
            _ = try Defect.changedEntry.made(of: log)
            #expect(try await rig.defect(at: 1000)?.kind == .entryChanged)
        }
    }

    @Test("a reading of everything that meets a file that cannot be read waits, and goes on from there")
    func rereadFromThere() async throws {
        try await MonitorRig.with(Self.log(5000)) { sound, server in
            try await sound.round()
            var rig = sound
            rig.rehashSeconds = 0
            let monitoring = try rig.monitoring()
            server.record.clear()
            server.record.answer(.internalServerError, under: "/tile/entries/018")
            for now in [2000, 6000] {
                await #expect(throws: PublicFiles.Unreachable.self) { try await monitoring.round(at: now) }
            }
            let asked = server.record.requests.count
            let waiting = try await monitoring.round(at: 6001)
            #expect(waiting.unread.count == 1 && waiting.unread[0].contains("/tile/entries/018"))
            #expect(server.record.requests.dropFirst(asked) == ["/checkpoint"])
            server.record.answer(nil)
            let report = try await monitoring.round(at: 10_000)
            #expect(report.unread.isEmpty)
            func reads(_ path: String) -> Int { server.record.requests.count { $0 == path } }
            #expect(reads("/tile/entries/000") == 1)
            _ = try await monitoring.round(at: 10_001)
            #expect(reads("/tile/entries/000") == 2, "the next one begins anew")
        }
    }

    @Test("a log that goes on from another tree has forked, and both notes are kept", arguments: [true, false])
    func forked(isSmaller: Bool) async throws {
        let sound = try Self.log(700)
        try await MonitorRig.with(sound) { rig, _ in
            try await rig.round()
            var other = sound
            other.replace(20, with: PublishedLog.leaf(9000))
            if isSmaller { other.cut(to: 500) } else { other.add((700..<900).map { PublishedLog.leaf($0) }) }
            try other.publish()
            let evidence = try await #require(throws: ForkEvidence.self) { try await rig.round() }
            #expect(evidence.defect.kind == .forked)
            let (small, large) = isSmaller ? (other, sound) : (sound, other)
            let notes = try [small.note(), large.note()]
            #expect([evidence.smaller.note, evidence.larger.note] == notes)
            let instead = try #require(evidence.instead)
            #expect(instead.head.size == small.size && instead.head.root != small.head.root)
            #expect(instead.proof.proves(instead.head, isPrefixOf: large.head))
        }
    }

    @Test("a fork is told before its notes are written, and the notes are told if they cannot be", arguments: [true, false])
    func told(canWrite: Bool) async throws {
        let sound = try Self.log(700)
        try await MonitorRig.with(sound) { rig, _ in
            try await rig.round()
            var other = sound
            other.replace(20, with: PublishedLog.leaf(9000))
            other.cut(to: 500)
            try other.publish()
            let evidence = try await #require(throws: ForkEvidence.self) { try await rig.round() }
            if !canWrite {
                try FileManager.default.createDirectory(
                    at: rig.state.appendingPathComponent("\(evidence.name).2.note"), withIntermediateDirectories: false)
            }
            var lines: [String] = []
            evidence.report(in: try DurableFolder(rig.state.path)) { lines.append($0) }
            #expect(lines.first == "\(evidence.defect)" && lines.first?.hasPrefix("forked: ") == true)
            if canWrite {
                #expect(lines.dropFirst() == ["both notes are in \(rig.state.path)"])
                let kept = try Data(contentsOf: rig.state.appendingPathComponent("\(evidence.name).2.note"))
                #expect(try Array(kept) == sound.note().bytes)
            } else {
                #expect(lines.dropFirst().first?.hasPrefix("the notes cannot be kept: ") == true)
                let notes = try [other, sound].map { String(decoding: try $0.note().bytes, as: UTF8.self) }
                #expect(Array(lines.dropFirst(2).prefix(2)) == notes)
                let instead = try #require(evidence.instead)
                #expect(lines.contains(Base64.encode(instead.head.root.bytes)))
            }
        }
    }

    @Test("the same evidence is kept once, however often and whenever it is found, and other evidence beside it")
    func keptOnce() async throws {
        let sound = try Self.log(700, witnesses: 1)
        var other = sound
        other.replace(20, with: PublishedLog.leaf(9000))
        other.cut(to: 600)
        let later = try other.note().bytes
        other.cut(to: 500)
        let notes = try [other.note(cosigned: false).bytes, other.note().bytes, later]
        try await MonitorRig.with(sound) { rig, _ in
            try await rig.round()
            var counts: [Int] = []
            for (note, now) in zip(notes, [1000, 2000, 3000]) {
                try sound.write("checkpoint", note)
                let evidence = try await #require(throws: ForkEvidence.self) { try await rig.round(at: now) }
                evidence.report(in: try DurableFolder(rig.state.path)) { _ in }
                let files = try FileManager.default.contentsOfDirectory(atPath: rig.state.path)
                counts.append(files.filter { $0.hasPrefix("forked-") }.count)
            }
            #expect(counts == [3, 3, 6])
        }
    }

    @Test("another tree of the same size is a fork")
    func sameSize() async throws {
        let sound = try Self.log(40)
        try await MonitorRig.with(sound) { rig, _ in
            try await rig.round()
            var other = sound
            other.replace(7, with: PublishedLog.leaf(9000))
            try other.publish()
            #expect(try await rig.defect()?.kind == .forked)
        }
    }

    @Test("a log that shows less than before has gone back; that may pass")
    func wentBack() async throws {
        let sound = try Self.log(700)
        try await MonitorRig.with(sound) { rig, _ in
            try await rig.round()
            var smaller = sound
            smaller.cut(to: 650)
            try smaller.write("checkpoint", smaller.note().bytes)
            let defect = try #require(try await rig.defect())
            #expect(defect.kind == .wentBack && defect.passes)
            var watch = DefectWatch(tolerance: 60)
            let due = [0, 59, 60].map { watch.isDue(defect, at: $0) }
            #expect(due == [false, false, true])
            watch.pass()
            let isDueAgain = watch.isDue(defect, at: 61)
            #expect(!isDueAgain)
            try sound.write("checkpoint", sound.note().bytes)
            #expect(try await rig.defect() == nil)
        }
    }

    @Test("a log has the patience for its defects together: one after the other do not pass for ever")
    func alternating() {
        let defects = [LogDefect(.wentBack, "smaller"), LogDefect(.missing, "not there")]
        var watch = DefectWatch(tolerance: 60)
        let due = [0, 20, 40, 59, 60].enumerated().map { watch.isDue(defects[$0 % 2], at: $1) }
        #expect(due == [false, false, false, false, true])
    }

    @Test("the patience for a defect begins anew if the clock was set back")
    func patienceAfterClock() {
        let defect = LogDefect(.missing, "not there")
        var watch = DefectWatch(tolerance: 60)
        let due = [5000, 1000, 1059, 1060].map { watch.isDue(defect, at: $0) }
        #expect(due == [false, false, false, true])
    }

    @Test("a log whose files went back as well has gone back, too")
    func filesWentBack() async throws {
        let sound = try Self.log(700)
        try await MonitorRig.with(sound) { rig, _ in
            try await rig.round()
            var smaller = sound
            smaller.cut(to: 650)
            try FileManager.default.removeItem(at: sound.path("tile"))
            try smaller.publish()
            let defect = try await rig.defect()
            #expect(defect?.kind == .wentBack)
        }
    }

    @Test("a witness that has cosigned another tree proves a fork", arguments: [300, 700, 800])
    func witnessFork(size: Int) async throws {
        let sound = try Self.log(700, witnesses: 1)
        var other = try Self.log(size, witnesses: 1)
        other.remove()
        other.replace(3, with: PublishedLog.leaf(9000))
        try sound.write(Self.place(of: sound), other.note().bytes)
        try await MonitorRig.with(sound, witnesses: [""]) { [other] rig, _ in
            if size == 800 {
                // The log has to come up to it first.
                #expect(try await rig.defect() == nil)
                var log = sound
                log.add((700..<800).map { PublishedLog.leaf($0) })
                try log.publish(from: 700)
            }
            let evidence = try await #require(throws: ForkEvidence.self) { try await rig.round() }
            #expect(evidence.defect.kind == .forked)
            let note = try other.note()
            #expect([evidence.smaller.note, evidence.larger.note].contains(note))
        }
    }

    @Test("a witness may be ahead for a moment, not for long")
    func ahead() async throws {
        let small = try Self.log(300, witnesses: 1)
        var large = small
        large.add((300..<310).map { PublishedLog.leaf($0) })
        try small.write(Self.place(of: small), large.note().bytes)
        try await MonitorRig.with(small, witnesses: [""]) { [large] rig, _ in
            let monitoring = try rig.monitoring()
            #expect(try await monitoring.round(at: 1000).tree.size == 300)
            let isComplete = await monitoring.isComplete
            #expect(!isComplete)
            #expect(try await monitoring.round(at: 1059).tree.size == 300)
            let evidence = try await #require(throws: ForkEvidence.self) { try await monitoring.round(at: 1060) }
            #expect(evidence.defect.kind == .behind)
            try large.publish(from: 300)
            #expect(try await monitoring.round(at: 1061).tree.head == large.head)
            let isCompleteNow = await monitoring.isComplete
            #expect(isCompleteNow)
        }
    }

    @Test("a log is behind a witness after the same time if the clock was set back")
    func aheadAfterClock() async throws {
        let small = try Self.log(300, witnesses: 1)
        var large = small
        large.add((300..<310).map { PublishedLog.leaf($0) })
        try small.write(Self.place(of: small), large.note().bytes)
        try await MonitorRig.with(small, witnesses: [""]) { rig, _ in
            for now in [100_000, 1000, 1059] {
                let early = try await rig.defect(at: now)
                #expect(early == nil)
            }
            let defect = try await rig.defect(at: 1060)
            #expect(defect?.kind == .behind)
        }
    }

    @Test("what is no checkpoint of the log is not believed, and not held against it")
    func strangers() async throws {
        let log = try Self.log(10, witnesses: 1)
        let stranger = try PublishedLog.signer("stranger.example/log", .log)
        let text = Checkpoint(origin: log.key.verifier.name, head: TreeHead(size: 99, root: .init(of: [1]))).text
        try log.write("stranger", try SignedNote(text: text, signatures: [try stranger.sign(text)]).bytes)
        try log.write("nonsense", Array("nonsense\n".utf8))
        try await MonitorRig.with(log, witnesses: ["nowhere/"]) { rig, server in
            let given = rig.asking(
                .address(server.prefix + "stranger"), .address(server.prefix + "nonsense"), .file("/nonexistent"))
            let report = try await given.round()
            #expect(report.tree.head == log.head && report.unread.count == 3)
        }
    }

    @Test("a server that is down is no defect")
    func down() async throws {
        try await MonitorRig.with(Self.log(10)) { rig, server in
            try await rig.round()
            server.record.answer(.serviceUnavailable)
            await #expect(throws: PublicFiles.Unreachable.self) { try await rig.round() }
            server.record.answer(nil)
            #expect(try await rig.defect() == nil)
        }
    }

    @Test("leaves that were written before the state are read again")
    func torn() async throws {
        let sound = try Self.log(300)
        try await MonitorRig.with(sound) { rig, _ in
            try await rig.round()
            let handle = try FileHandle(forWritingTo: rig.state.appendingPathComponent("leaves"))
            try handle.seekToEnd()
            // A record and a half, as after a loss of power.
            try handle.write(contentsOf: Data(LeafRecord(PublishedLog.leaf(300)).bytes + Array(repeating: 7, count: 32)))
            try handle.close()
            var log = sound
            log.add([PublishedLog.leaf(300), PublishedLog.leaf(301)])
            try log.publish(from: 300)
            #expect(try await rig.defect() == nil)
        }
    }

    @Test("a damaged state is refused", arguments: ["state.json", "leaves"])
    func damaged(name: String) async throws {
        try await MonitorRig.with(Self.log(300)) { rig, _ in
            try await rig.round()
            let file = rig.state.appendingPathComponent(name)
            try Data(try Data(contentsOf: file).dropLast(40)).write(to: file)
            #expect(throws: CommandFailure.self) { try rig.monitoring() }
        }
    }

    @Test("a state of another size than its tree's is refused", arguments: [699, 701])
    func damagedSize(size: Int) async throws {
        try await MonitorRig.with(Self.log(700)) { rig, _ in
            try await rig.round()
            let file = rig.state.appendingPathComponent("state.json")
            let text = try String(contentsOf: file, encoding: .utf8)
            try Data(text.replacing("\"size\":700", with: "\"size\":\(size)").utf8).write(to: file)
            #expect(throws: CommandFailure.self) { try rig.monitoring() }
        }
    }

    @Test("one process follows with a state at a time")
    func locked() async throws {
        try await MonitorRig.with(Self.log(3)) { rig, _ in
            let first = try rig.monitoring()
            #expect(throws: CommandFailure.self) { try rig.monitoring() }
            _ = try await first.round(at: 1)
        }
    }

    private static func place(of log: PublishedLog) -> String {
        "\(ContentDigest(of: log.key.verifier.name.bytes).hex)/checkpoint"
    }
}

/// What may be wrong with a log of 700 entries.
enum Defect: CaseIterable, Sendable {
    case changedEntry, changedTile, changedUpperTile, swappedTile, missingTile, missingEntries, cutEntries, duplicate, malformedLeaf,
        secondShard
    case afterEnd, falseSignature

    static let ofStoredBytes: [Defect] = [.changedEntry, .changedTile, .changedUpperTile, .missingTile, .missingEntries, .cutEntries]

    var kind: LogDefect.Kind {
        switch self {
        case .changedEntry, .cutEntries: .entryChanged
        case .changedTile, .changedUpperTile, .swappedTile: .tileChanged
        case .missingTile, .missingEntries: .missing
        case .duplicate: .duplicate
        case .malformedLeaf, .secondShard: .malformedLeaf
        case .afterEnd: .afterEnd
        case .falseSignature: .malformedCheckpoint
        }
    }

    /// Puts it into the published log.
    func made(of log: PublishedLog) throws -> PublishedLog {
        var log = log
        let old = log.size
        switch self {
        case .changedEntry: try change("tile/entries/001") { $0[70] ^= 1 }
        case .changedTile: try change("tile/0/001") { $0[32 * 200 + 5] ^= 1 }
        case .changedUpperTile: try change("tile/1/000.p/2") { $0[40] ^= 1 }
        case .swappedTile: try change("tile/0/001") { $0 = Array($0.reversed()) }
        case .missingTile: try FileManager.default.removeItem(at: log.path("tile/0/001"))
        case .missingEntries: try FileManager.default.removeItem(at: log.path("tile/entries/002.p/188"))
        case .cutEntries: try change("tile/entries/001") { $0.removeLast(10) }
        case .duplicate: log.add([PublishedLog.leaf(1, kind: .reassessment)])
        case .malformedLeaf: log.add(raw: Array("rial.leaf/1\nassessment\n0\n".utf8))
        case .secondShard: log.add([.shard(previous: nil, head: .empty)])
        case .afterEnd:
            let next = try PublishedLog.signer("rial.example/log/2027", .log).verifier
            log.add([.end(next: next), PublishedLog.leaf(700)])
        case .falseSignature: try change("checkpoint") { $0[$0.count - 20] ^= 2 }
        }
        if log.size > old { try log.publish(from: old) }
        return log

        func change(_ name: String, _ body: (inout [UInt8]) -> Void) throws {
            var bytes = try log.read(name)
            body(&bytes)
            try log.write(name, bytes)
        }
    }
}
