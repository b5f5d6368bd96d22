import ArgumentParser
import CaptureProtocol
import Messaging
import Models

struct DeadLetterList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the dead letters.")

    @Option(help: "Only those of this dead-letter topic, or of all dead-letter topics of this topic.")
    var topic: String?

    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let topics = DeadLetterTopics(try OperatorSettings().kafka())
        var letters: [DeadLetterRecord] = []
        for topic in try DeadLetterTopics.named(topic) {
            let found = try await topics.records(of: topic)
            if found.count > DeadLetterTopics.limit {
                Console.progress("\(topic) has more than \(DeadLetterTopics.limit) records; the others are not shown")
            }
            letters += found.prefix(DeadLetterTopics.limit)
        }
        if json {
            Console.result(String(decoding: try WireJSON.encode(letters.map(\.summary)), as: UTF8.self), isJSON: true)
            return
        }
        guard !letters.isEmpty else {
            Console.result("no dead letters")
            return
        }
        var table = TextTable(header: ["topic", "partition", "offset", "time", "key", "reason", "attempts"])
        for letter in letters {
            table.add(
                letter.record.topic, String(letter.record.partition), String(letter.record.offset), letter.time, letter.key,
                letter.reason, letter.attempts)
        }
        Console.result(table.text)
    }
}
