import ArgumentParser
import CaptureProtocol
import Logging
import Messaging
import Models

struct DeadLetterRedrive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redrive",
        abstract: "Sends dead letters, or one capture, through the pipeline again.",
        discussion: """
            A record is sent to the topic it came from, under a new event id; it also stays in the dead-letter topic. Services that \
            have done their work only announce it again. Of those with the same content the newest is sent. One that does not say \
            where it came from, or was too large to be kept, is named, and the exit code is 1. With --capture the capture is announced \
            again from PostgreSQL, which also works if Kafka has lost its topics.
            """)

    @Option(help: "The dead-letter topic, or a topic for all of its dead-letter topics.")
    var topic: String?

    @Flag(help: "All records of --topic.")
    var all = false

    @Option(help: "Only the record at this offset of a partition of --topic, a dead-letter topic.")
    var offset: Int64?

    @Option(help: "The partition of --offset: each partition counts its own offsets.")
    var partition: Int32?

    @Option(help: "Announce this capture again, from PostgreSQL.")
    var capture: String?

    func validate() throws {
        guard (topic == nil) != (capture == nil) else { throw ValidationError("Give either --topic or --capture.") }
        if topic != nil, all == (offset != nil) { throw ValidationError("With --topic, give either --all or --offset.") }
        guard (offset == nil) == (partition == nil) else { throw ValidationError("Give --offset and --partition together.") }
        if let capture, CaptureID(capture) == nil { throw ValidationError("--capture is not a UUID: \(capture)") }
    }

    func run() async throws {
        let settings = OperatorSettings()
        let kafka = try settings.kafka()
        let partitions = try settings.kafkaPartitions()
        if let id = capture.flatMap(CaptureID.init) {
            let redrive = CaptureRedrive(databaseURL: try settings.databaseURL(), kafka: kafka, partitions: partitions)
            Console.result(try await redrive.run(id))
            return
        }
        let letters = try await selectedLetters(DeadLetterTopics(kafka))
        guard !letters.isEmpty else {
            Console.result("no dead letters to re-drive")
            return
        }
        let producer = try KafkaProducer(kafka, logger: Logger(label: "rial-dlq"))
        try await StartupRetry(dependency: "Kafka") {
            try await KafkaAdmin(kafka).createTopics(Topic.all.map(\.rawValue), partitions: partitions)
        }
        let failures = try await Self.redrive(letters) { letter, topic in
            let id = EventID()
            do {
                try await producer.send(
                    topic: topic.rawValue, key: letter.record.key, value: letter.record.value,
                    headers: letter.headersForRedrive(id: id))
            } catch let error as KafkaError {
                throw CommandFailure("Kafka did not accept the record of \(letter.key) for \(topic): \(error).")
            }
            Console.result("\(TextTable.printable(letter.key)) → \(topic) as event \(id)")
        }
        await producer.flush(timeout: .seconds(5))
        for failure in failures { Console.progress(failure.description) }
        guard failures.isEmpty else { throw ExitCode.failure }
    }

    /// Sends the records that were kept and say where they came from.
    /// - Returns: what is wrong with the others.
    static func redrive(
        _ letters: [DeadLetterRecord], _ send: (DeadLetterRecord, Topic) async throws -> Void
    ) async throws -> [CommandFailure] {
        var failures: [CommandFailure] = []
        for letter in letters {
            let topic: Topic
            do {
                topic = try letter.originalTopic()
            } catch let failure as CommandFailure {
                failures.append(failure)
                continue
            }
            try await send(letter, topic)
        }
        return failures
    }

    private func selectedLetters(_ topics: DeadLetterTopics) async throws -> [DeadLetterRecord] {
        if let topic, let offset, let partition {
            return [try await topics.record(at: offset, of: partition, in: try DeadLetterTopics.one(topic))]
        }
        var letters: [DeadLetterRecord] = []
        for name in try DeadLetterTopics.named(topic) {
            let found = try await topics.records(of: name, limit: DeadLetterTopics.repeatedLimit, timeout: .seconds(300))
            let different = Self.selection(of: found)
            guard found.count <= DeadLetterTopics.repeatedLimit, different.count <= DeadLetterTopics.limit else {
                throw CommandFailure(
                    """
                    \(name) has more than \(DeadLetterTopics.limit) records that differ, or \(DeadLetterTopics.repeatedLimit) in all: \
                    re-drive them by --offset and --partition, or by --capture.
                    """)
            }
            letters += different
        }
        return Self.selection(of: letters)
    }

    /// The records without duplicates: of those with one original the newest. What was sent again and has failed again has the same.
    static func selection(of letters: [DeadLetterRecord]) -> [DeadLetterRecord] {
        var indices: [DeadLetterRecord.Original: Int] = [:]
        var selected: [DeadLetterRecord] = []
        for letter in letters {
            guard let index = indices[letter.original] else {
                indices[letter.original] = selected.count
                selected.append(letter)
                continue
            }
            if letter.isNewer(than: selected[index]) { selected[index] = letter }
        }
        return selected
    }
}
