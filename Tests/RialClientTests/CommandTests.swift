import ArgumentParser
import CaptureProtocol
import Foundation
import Messaging
import Models
import RialClient
import Testing

@testable import RialCLI

@Suite("Command line")
struct CommandTests {
    @Test(
        "takes what the help says",
        arguments: [
            ["demo"], ["device", "register", "--request-key", "none", "--no-lidar", "--defect", "other-root"],
            ["device", "revoke", "00000000-0000-4000-8000-000000000001"],
            ["device", "restore", "00000000-0000-4000-8000-000000000001", "--reason", "found again", "--admin", "http://h:1"],
            ["device", "audit", "00000000-0000-4000-8000-000000000001"],
            [
                "capture", "send", "--photo", "p.jpg", "--depth", "d.f32.gz", "--width", "256", "--height", "192",
                "--location", "37.77,-122.42", "--captured-at", "2026-11-21T07:00:00+01:00", "--signature-version", "1",
                "--binding", "photo+depth", "--watch", "--json",
            ],
            ["capture", "show", "00000000-0000-4000-8000-000000000001", "--owner"],
            ["scene", "poster", "--out", "x", "--seed", "7", "--size", "640x480"],
            ["dlq", "redrive", "--topic", "t", "--all"], ["dlq", "redrive", "--capture", "00000000-0000-4000-8000-000000000001"],
            ["dlq", "show", "t", "12", "--partition", "3"], ["admin", "development-root", "--out", "x"],
            ["load", "--rate", "2", "--seconds", "10"], ["load", "--rate", "2", "--seconds", "10", "--looks-later"],
            ["load", "--flood", "8", "--seconds", "10", "--size", "small"], ["load", "--rate", "0.001", "--seconds", "10"],
            ["load-pages", "--rate", "1"], ["soak", "--rate", "1", "--seconds", "10"],
            ["video", "record", "--scene", "room", "--out", "x", "--seconds", "8", "--kill-at", "7"],
        ])
    func accepts(arguments: [String]) throws { _ = try Rial.parseAsRoot(arguments) }

    @Test(
        "refuses what makes no sense",
        arguments: [
            ["capture", "show", "not-a-uuid"], ["device", "restore", "not-a-uuid"], ["scene", "garden", "--out", "x"],
            ["scene", "room", "--out", "x", "--size", "9999999x1"],
            ["dlq", "redrive"], ["dlq", "redrive", "--topic", "t"], ["dlq", "redrive", "--topic", "t", "--capture", "c"],
            ["dlq", "show", "t", "12"], ["dlq", "redrive", "--topic", "t", "--offset", "1"],
            ["dlq", "redrive", "--topic", "t", "--all", "--partition", "1"],
            ["load", "--seconds", "10"], ["load", "--rate", "2", "--flood", "2", "--seconds", "10"],
            ["load", "--rate", "-1", "--seconds", "1"], ["load", "--flood", "2", "--seconds", "1", "--looks-later"],
            ["device", "register", "--unverified", "--defect", "wrong-format"], ["device", "register", "--defect", "bad-signature"],
        ])
    func refuses(arguments: [String]) throws {
        let error = try #require(throws: (any Error).self) { try Rial.parseAsRoot(arguments) }
        #expect(Rial.exitCode(for: error).rawValue == 64)
    }

    @Test("refuses numbers of which no time can be made", arguments: ["nan", "-nan", "inf", "1e300", "1e-30", "-1"])
    func refusesNumbers(number: String) throws {
        var commands = [
            ["load", "--rate=\(number)", "--seconds=1"], ["load-pages", "--rate=\(number)"], ["soak", "--rate=\(number)", "--seconds=1"],
        ]
        // A recording may be as short as that.
        for option in ["seconds", "kill-at"] where number != "1e-30" {
            commands.append(["video", "record", "--scene", "room", "--out", "x", "--\(option)=\(number)"])
        }
        for command in commands {
            let error = try #require(throws: (any Error).self) { try Rial.parseAsRoot(command) }
            #expect(Rial.exitCode(for: error).rawValue == 64, "\(command)")
        }
    }

    @Test("ends with 2 if a command with a bundle is misused", arguments: [["--bundle", "b"], ["--bundle=b"], ["--bundles"]])
    func bundleMisused(bundle: [String]) throws {
        let arguments = ["verify"] + bundle + ["--unknown"]
        let error = try #require(throws: (any Error).self) { try Rial.parseAsRoot(arguments) }
        #expect(Rial.exitCode(for: error, of: arguments).rawValue == (bundle == ["--bundles"] ? 64 : 2))
    }

    @Test("whose result could not be written ends with 1, and with 2 where 1 says that a bundle is wrong")
    func resultsLost() {
        let lost = Console.ResultsLost()
        #expect(Rial.exitCode(for: lost, of: ["rial", "dlq", "list"]).rawValue == 1)
        #expect(Rial.exitCode(for: lost, of: ["rial", "verify", "--bundle", "b.rial"]).rawValue == 2)
    }

    @Test("reads places, sizes and times", arguments: ["", "1", "1,2,3", "x,y", "nan,1", "inf,1", "1,"])
    func refusesPlaces(text: String) { #expect(LocationArgument(argument: text) == nil) }

    @Test("re-drives a record with its headers under a new event id")
    func redriveHeaders() throws {
        let names = ["ce_id", "ce_type", "traceparent", "rial_dlq_topic", "rial_dlq_reason"]
        let values = ["old", "t", "00-x", Topic.captureReceived.rawValue, "poison"]
        let letter = DeadLetterRecord(
            KafkaRecord(
                topic: "d", partition: 0, offset: 1, key: Array("k".utf8), value: [1],
                headers: zip(names, values).map { KafkaHeader(name: $0, value: Array($1.utf8)) }, timestampMilliseconds: nil))
        let id = EventID()
        let headers = letter.headersForRedrive(id: id)
        #expect(headers.map(\.name) == ["ce_type", "traceparent", "ce_id"])
        #expect(headers.last?.value == Array(id.description.utf8))
        #expect(try letter.originalTopic() == .captureReceived)
        #expect(letter.reason == "poison")
    }

    @Test("sends nothing to a topic that is not consumed", arguments: ["other", Topic.registrationAppraised.rawValue, ""])
    func refusesOtherTopics(name: String) {
        let letter = DeadLetterRecord(
            KafkaRecord(
                topic: "d", partition: 0, offset: 1, key: nil, value: nil,
                headers: [KafkaHeader(name: "rial_dlq_topic", value: Array(name.utf8))], timestampMilliseconds: nil))
        #expect(throws: CommandFailure.self) { try letter.originalTopic() }
    }

    @Test("re-drives what says where it came from, whatever lies between")
    func redrivesOthers() async throws {
        let names: [String?] = [Topic.captureReceived.rawValue, nil, Topic.deviceRevoked.rawValue]
        let letters = names.enumerated().map { index, name in
            DeadLetterRecord(
                KafkaRecord(
                    topic: "d", partition: 0, offset: Int64(index), key: nil, value: nil,
                    headers: name.map { [KafkaHeader(name: "rial_dlq_topic", value: Array($0.utf8))] } ?? [], timestampMilliseconds: nil))
        }
        var sent: [Topic] = []
        let failures = try await DeadLetterRedrive.redrive(letters) { _, topic in sent.append(topic) }
        #expect(sent == [.captureReceived, .deviceRevoked])
        #expect(failures.count == 1 && failures.first?.description.contains("d/0/1") == true)
    }

    private static func letter(
        at offset: Int64, key: String = "k", value: [UInt8]? = [1], topic: Topic = .captureReceived, more: [String: String] = [:]
    ) -> DeadLetterRecord {
        let headers = ["rial_dlq_topic": topic.rawValue, "ce_id": "\(EventID())"].merging(more) { _, new in new }
        return DeadLetterRecord(
            KafkaRecord(
                topic: "d", partition: 0, offset: offset, key: Array(key.utf8), value: value,
                headers: headers.map { KafkaHeader(name: $0, value: Array($1.utf8)) }, timestampMilliseconds: offset))
    }

    @Test("re-drives once what failed again after it was re-driven, as it was last")
    func redrivesOnce() {
        let others = [
            Self.letter(at: 4, key: "other"), Self.letter(at: 5, value: [2]), Self.letter(at: 6, value: nil),
            Self.letter(at: 7, topic: .deviceRevoked),
        ]
        let selected = DeadLetterRedrive.selection(of: [Self.letter(at: 2), Self.letter(at: 3), Self.letter(at: 1)] + others)
        #expect(selected.map(\.record.offset) == [3, 4, 5, 6, 7])
    }

    @Test("names a record that was too large to be kept, and sends nothing of it")
    func omitted() async throws {
        let letter = Self.letter(at: 1, value: [], more: ["rial_dlq_omitted_bytes": "900000"])
        let failures = try await DeadLetterRedrive.redrive([letter]) { _, _ in Issue.record("sent") }
        let description = try #require(failures.first?.description)
        #expect(failures.count == 1 && description.contains("d/0/1") && description.contains("--capture"))
        let another = Self.letter(at: 2, value: [], more: ["rial_dlq_omitted_bytes": "900001"])
        #expect(DeadLetterRedrive.selection(of: [letter, another, Self.letter(at: 3, value: [])]).count == 3)
    }

    @Test("takes an offset for one dead-letter topic only")
    func oneTopic() throws {
        #expect(throws: CommandFailure.self) { try DeadLetterTopics.one(Topic.captureReceived.rawValue) }
        let letters = Topic.captureReceived.deadLetters(of: .depthAnalyzer)
        #expect(try DeadLetterTopics.one(letters.rawValue) == letters)
    }

    @Test("varies a photo by a comment behind its application segments")
    func variesPhotos() {
        let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE1, 0, 4, 1, 2, 0xFF, 0xDB, 0, 2]
        #expect(LoadSource.endOfApplicationSegments(jpeg) == 8)
        #expect(LoadSource.endOfApplicationSegments([0xFF, 0xD8, 0xFF, 0xE1, 0xFF, 0xFF, 1]) == 2)
        #expect(LoadSource.endOfApplicationSegments([]) == 0)
    }

    @Test("takes percentiles by nearest rank")
    func percentiles() throws {
        let times = (1...100).shuffled().map { Duration.milliseconds($0) }
        let found = try #require(Percentiles(times))
        #expect(found.p50 == 50 && found.p99 == 99 && found.max == 100)
        #expect(Percentiles([]) == nil)
    }
}
