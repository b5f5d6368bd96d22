import CaptureProtocol
import Messaging
import Models
import Testing

@testable import Delivery

@Suite("Dead letters")
struct DeadLetterTests {
    private func letter(value: [UInt8] = [], headers: [KafkaHeader] = [], detail: String = "no") -> DeadLetter {
        DeadLetter(
            record: KafkaRecord(
                topic: Topic.captureReceived.rawValue, partition: 0, offset: 7, key: nil, value: value, headers: headers,
                timestampMilliseconds: nil),
            rejection: RejectedMessage(.undecodable, detail: detail), service: .depthAnalyzer, attempts: 1)
    }

    private func value(_ name: String, of letter: DeadLetter) -> String? {
        letter.headers.first { $0.name == name }?.value.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("keep what a record says of itself, and say why it was given up")
    func whole() {
        let letter = letter(headers: [KafkaHeader(name: "ce_id", value: [0x61]), KafkaHeader(name: "rial_dlq_reason", value: nil)])
        #expect(value("ce_id", of: letter) == "a" && value("rial_dlq_reason", of: letter) == "undecodable")
        #expect(letter.headers.count { $0.name == "rial_dlq_reason" } == 1)
        #expect(value("rial_dlq_omitted_bytes", of: letter) == nil)
    }

    @Test("have a detail of a kilobyte at most, whatever one letter of it weighs")
    func detail() throws {
        let letter = letter(detail: "e" + String(repeating: "\u{301}", count: 400_000))
        #expect(try #require(value("rial_dlq_detail", of: letter)).utf8.count <= 1002)
    }

    @Test("leave out what no broker would take: a large value, and headers without end that weigh nothing", arguments: [true, false])
    func large(isValue: Bool) throws {
        let letter =
            isValue
            ? letter(value: [UInt8](repeating: 0, count: 900_000))
            : letter(headers: [KafkaHeader](repeating: KafkaHeader(name: "h", value: nil), count: 300_000))
        #expect(letter.headers.count < 20)
        #expect(Int(try #require(value("rial_dlq_omitted_bytes", of: letter))) ?? 0 > 800_000)
    }
}
