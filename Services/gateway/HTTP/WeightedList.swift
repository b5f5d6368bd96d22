import Foundation

/// What a client takes of something, with weights: the value of `Accept`, `Accept-Encoding`, `Accept-Language` (RFC 9110 §12.4.2, §12.5).
struct WeightedList: Sendable {
    /// In their order, in lower case, without parameters; a weight of 0 means that it is not taken. What has no sound weight is left out.
    let items: [(value: String, weight: Double)]

    /// - Parameter fields: the lines of the field; what is beyond 50 items or 2,000 characters is not read.
    init(_ fields: [String]) {
        items = fields.joined(separator: ",").prefix(2000).split(separator: ",").prefix(50).compactMap { item in
            let parts = item.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            guard let value = parts.first, let weight = Self.weight(parts.dropFirst()) else { return nil }
            return (value, weight)
        }
    }

    /// The largest weight that one of the values has by its name; `nil` if none of them is there.
    func weight(of values: String...) -> Double? { items.filter { values.contains($0.value) }.map(\.weight).max() }

    /// 1 without `q`; `nil` for what is no weight.
    private static func weight(_ parameters: some Sequence<String>) -> Double? {
        guard let parameter = parameters.first(where: { $0.hasPrefix("q=") }) else { return 1 }
        guard let weight = Double(parameter.dropFirst(2)), (0...1).contains(weight) else { return nil }
        return weight
    }
}
