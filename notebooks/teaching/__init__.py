"""What those who teach the course need: notes per notebook, three editions, grades, plans.

`python -m teaching` in this notebooks folder lists the commands; `make course` and `make grade` run them.
"""
