import ArgumentParser
import Messaging
import Models
import RialClient

struct DeadLetterShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Shows one dead letter with headers and value.")

    @Argument(help: "The dead-letter topic.")
    var topic: String

    @Argument(help: "Its offset, as `rial dlq list` shows it.")
    var offset: Int64

    @Option(help: "Its partition, as `rial dlq list` shows it: each partition counts its own offsets.")
    var partition: Int32

    func run() async throws {
        let name = try DeadLetterTopics.one(topic)
        let letter = try await DeadLetterTopics(try OperatorSettings().kafka()).record(at: offset, of: partition, in: name)
        var table = TextTable()
        table.add("topic", name.rawValue)
        table.add("partition", String(partition))
        table.add("offset", String(offset))
        table.add("key", letter.key)
        for header in letter.record.headers {
            table.add(header.name, header.value.map { String(decoding: $0, as: UTF8.self) } ?? "(no value)")
        }
        Console.result(table.text + "\n")
        Console.result(Self.text(of: letter.record.value))
    }

    /// As indented JSON; if it is not JSON, as text; if it is not text, the number of bytes.
    private static func text(of value: [UInt8]?) -> String {
        guard let value else { return "(tombstone: no value)" }
        if let json = try? JSONValue(parsing: value) { return json.prettyText }
        guard let text = String(validating: value, as: UTF8.self) else { return "(\(value.count) bytes that are not text)" }
        return TextTable.printable(String(text.prefix(10_000)))
    }
}
