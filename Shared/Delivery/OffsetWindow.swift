import Messaging

/// The records of a consumer that are not settled yet, by partition: an offset may be stored once all records before it are handled.
struct OffsetWindow {
    private struct Entry {
        var record: KafkaRecord
        var isHandled = false
    }

    /// In the order of their offsets.
    private var open: [Int32: [Entry]] = [:]

    /// Records of a partition begin in the order of their offsets, except that a new client reads again what the one before it had not
    /// committed: then records that are settled begin again while later ones are still open.
    mutating func begin(_ record: KafkaRecord) {
        let earlier = open[record.partition]?.lastIndex { $0.record.offset <= record.offset }
        open[record.partition, default: []].insert(Entry(record: record), at: earlier.map { $0 + 1 } ?? 0)
    }

    /// Whether the record was already begun: after a rebalance, or with a new client, which stores only offsets of records that it
    /// delivered itself, it is delivered again.
    mutating func renew(_ record: KafkaRecord) -> Bool {
        guard let index = open[record.partition]?.firstIndex(where: { $0.record.isSame(as: record) }) else { return false }
        open[record.partition]?[index].record = record
        return true
    }

    /// How many records of the partition were begun since the first one that is not handled.
    func count(of partition: Int32) -> Int { open[partition]?.count ?? 0 }

    /// - Returns: the record whose offset may be stored now: the last one before which all are handled; `nil` if an earlier one is not.
    mutating func finish(_ record: KafkaRecord) -> KafkaRecord? {
        // After a rebalance a record may be there twice.
        guard var entries = open[record.partition],
            let index = entries.firstIndex(where: { $0.record.offset == record.offset && !$0.isHandled })
        else { return nil }
        entries[index].isHandled = true
        let settled = entries.prefix { $0.isHandled }
        open[record.partition] = entries.count == settled.count ? nil : Array(entries.dropFirst(settled.count))
        return settled.last?.record
    }
}

extension KafkaRecord {
    /// Whether another record of the same partition is this one. A broker that lost its log may give a different record the same offset.
    fileprivate func isSame(as other: KafkaRecord) -> Bool {
        offset == other.offset && key == other.key && value == other.value && headers == other.headers
    }
}
