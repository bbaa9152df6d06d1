#include "core/machine/task_pool.h"

#include "core/base/check.h"

namespace ascend::core {

TaskRecord& TaskPool::Acquire() {
  if (free_.empty()) {
    const auto index = static_cast<uint32_t>(slots_.size());
    slots_.emplace_back().record.id = TaskId(index);
    return slots_.back().record;
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  return slots_[index].record;
}

void TaskPool::Release(TaskRecord& record) {
  const TaskId id = record.id;
  record = TaskRecord{};
  record.id = id;
  free_.push_back(id.value());
}

TaskRecord& TaskPool::Get(TaskId id) {
  ASCEND_CHECK(id.value() < slots_.size()) << "no task " << id.value();
  return slots_[id.value()].record;
}

JobId TaskPool::StartJob(TaskRecord& record) {
  ASCEND_CHECK(!record.is_job_running) << "task " << record.id.value();
  record.is_job_running = true;
  Slot& slot = slots_[record.id.value()];
  return JobId((uint64_t{++slot.job_count} << 32) | record.id.value());
}

bool TaskPool::HasJob(JobId job) const {
  const uint64_t index = job.value() & 0xFFFFFFFF;
  return index < slots_.size() && slots_[index].record.is_job_running &&
         slots_[index].job_count == job.value() >> 32;
}

TaskRecord& TaskPool::OfJob(JobId job) {
  ASCEND_CHECK(HasJob(job))
      << "job " << job.value() << " ends but does not run";
  return Get(TaskId(static_cast<uint32_t>(job.value())));
}

}  // namespace ascend::core
